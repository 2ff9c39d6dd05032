import type { KeptFor } from '#capabilities/consents/keep-card.operation.ts'
import type { PayerProof } from '#engine/acquirers/payer-authentication.ts'
import type { AskedAmount } from '#engine/fees/asked-money.ts'
import type { CardSaving, DeclineCause, Order, Payer } from '#engine/orders/order.ts'
import type { Attempt, CallerKey, Conditions, Following } from '#engine/payments/attempt.ts'
import type { CardInTransit } from '#engine/vault/vault.ts'
import type { AccountId, ApiUserId, MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'

// For whom an order is taken: the owner of the form, not the payer.
export type OrderOwner = {
  readonly accountId: AccountId
  readonly userId: ApiUserId
  readonly callerKey: CallerKey | null
}

// What must hold for an approval to stand.
export type OrderChecks = Pick<Conditions, 'avsNeeded' | 'cvvNeeded'>
export const noChecks: OrderChecks = { avsNeeded: 'none', cvvNeeded: false }

// What another slice changes together with the charge. Whoever turns it down closes the order.
export type Accompanied = {
  readonly also?: readonly Following[]
  // Of a card that is kept by other terms than those of the merchant record.
  readonly keptFor?: KeptFor | null
}

// What a payer has filled in.
export type PayerOrder = Accompanied & {
  // A UUID that whoever asks has noted down before; absent: a new one.
  readonly transactionId?: string
  readonly merchantNumber: MerchantNumber
  // null: nothing is charged, and the card is kept.
  readonly amount: AskedAmount | null
  readonly card: CardInTransit
  readonly payer: Payer
  readonly service: string
  readonly clientRef: string
  readonly guid: string
  // The payer agrees that the card is charged again; null: not.
  readonly saving: CardSaving | null
  // Where the payer's bank sends the payer after a challenge.
  readonly returnTo: string
  readonly checks: OrderChecks
}

export type PaidOrder = {
  readonly kind: 'paid'
  readonly transactionId: string
  readonly isApproved: boolean
  // Why not; empty when it is.
  readonly because: DeclineCause | ''
  readonly amount: Money
  // The approval or decline code; empty when nothing was charged.
  readonly code: string
  // Under which the card may be charged again; empty: not.
  readonly consentToken: string
  // null: nothing was charged.
  readonly charge: Attempt | null
}

// The payer's bank wants to see the payer. The sealed card comes back with the payer and is stored nowhere.
export type ChallengedOrder = {
  readonly kind: 'challenged'
  readonly transactionId: string
  readonly address: string
  readonly sealedCard: string
  readonly answerUntil: Temporal.Instant
}

// The payer is not back from the bank yet.
export type OpenChallenge = { readonly kind: 'open'; readonly transactionId: string }

export type OrderCharge = Accompanied & {
  readonly order: Order
  readonly card: CardInTransit
  readonly proof: PayerProof
  readonly checks: OrderChecks
}
