import type { CardNumber } from '#kernel/card-number.ts'
import type { Money } from '#kernel/money.ts'

// The port of 3-D Secure: before a card is charged, the bank that issued it is asked who pays.

export type PayerQuestion = {
  // Our own, of the order.
  readonly ref: string
  readonly number: CardNumber
  readonly amount: Money
  readonly merchantName: string
  // Where the bank sends the payer after a challenge: an address of ours.
  readonly returnTo: string
}

// What the network carries to the issuer with the charge.
export type PayerProof = {
  // Electronic commerce indicator: how sure the bank is.
  readonly eci: string
  readonly seal: string
  readonly transactionId: string
  readonly version: string
}

// confirmed also where the card takes no part in it: its ECI says so.
export type PayerAnswer =
  | { readonly kind: 'confirmed'; readonly proof: PayerProof }
  // The bank wants to see the payer, at this address.
  | { readonly kind: 'challenge'; readonly challengeId: string; readonly address: string }
  | { readonly kind: 'rejected' }
  | { readonly kind: 'unavailable' }

// open: the payer is not back from the bank yet.
export type ChallengeOutcome = Exclude<PayerAnswer, { kind: 'challenge' }> | { readonly kind: 'open' }

// What ask throws counts as unavailable; what outcomeOf throws as not answered yet, and it is asked again.
// The outcome of a challenge is asked for from server to server; nothing that a browser brings is believed.
export type PayerAuthentication = {
  readonly name: string
  ask(question: PayerQuestion, signal: AbortSignal): Promise<PayerAnswer>
  outcomeOf(challengeId: string, signal: AbortSignal): Promise<ChallengeOutcome>
}

// The pages of a bank that lives in this process: only a simulated one does.
export type BankPages = {
  show(challengeId: string): Promise<BankPage>
  // Fields as they were sent by the page's own form.
  answer(challengeId: string, fields: ReadonlyMap<string, string>): Promise<BankPage>
}

export type BankPage = {
  readonly text: string
  // The one style of the page, for the policy that allows nothing else.
  readonly style: string
  readonly isKnown: boolean
  // Where the payer goes on; null: the page is shown.
  readonly goOn: string | null
}
