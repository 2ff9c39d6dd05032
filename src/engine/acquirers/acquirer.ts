import type { AcquirerAnswer, InquiryAnswer, ReversalAnswer } from '#engine/acquirers/acquirer-answer.ts'
import type { PayerProof } from '#engine/acquirers/payer-authentication.ts'
import type { CardExpiry } from '#kernel/card-expiry.ts'
import type { CardNumber } from '#kernel/card-number.ts'
import type { Branded } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'
import type { Secret } from '#kernel/secret.ts'

// Our own reference for one attempt, fixed and stored before anything is sent. Everything is asked by it.
export type AcquirerRef = Branded<string, 'AcquirerRef'>

// Whether a fee may be added depends on it.
export type CardKind = 'credit' | 'debit' | 'prepaid' | 'unknown'

export type CardInHand = {
  readonly number: CardNumber
  readonly expiry: CardExpiry
  // Present only when the payer has just given it; never stored.
  readonly securityCode: Secret | null
  readonly street: string
  readonly zip: string
}

export type Terminal = { readonly terminalId: string; readonly merchantName: string }

export type AuthorizeRequest = {
  readonly ref: AcquirerRef
  readonly card: CardInHand
  // 0 asks whether the card is good (a verification).
  readonly amount: Money
  // The part of the amount that is a fee.
  readonly fee: Money
  readonly terminal: Terminal
  // The payer's agreement to charge the stored card, by the network's id of its first authorization.
  readonly storedCard: { readonly networkId: string } | null
  readonly isRecurring: boolean
  // What the payer's bank said about who pays, where it was asked.
  readonly payerProof?: PayerProof
}

export type RefundRequest = {
  readonly ref: AcquirerRef
  readonly original: AcquirerRef
  readonly amount: Money
}

export type BatchRequest = {
  readonly ref: AcquirerRef
  // The merchant's own count; the same however often the batch is sent.
  readonly number: number
  readonly terminal: Terminal
  readonly items: readonly { readonly ref: AcquirerRef; readonly amount: Money; readonly isCredit: boolean }[]
}

// One line of the bank's own report, for reconciliation.
export type ReportLine = {
  readonly ref: AcquirerRef
  readonly kind: 'sale' | 'verification' | 'refund'
  readonly approved: Money | null
  readonly reversed: boolean
  // Our reference of the accepted batch it is in; empty when it is in none.
  readonly settledIn: string
  readonly at: Temporal.Instant
}

// A payer's bank took a sale back. `soldAt` and the moments after it are the acquirer's time: how long after
// the sale it happened is what counts.
export type DisputeLine = {
  readonly ref: AcquirerRef
  readonly amount: Money
  readonly reasonCode: string
  readonly soldAt: Temporal.Instant
  readonly openedAt: Temporal.Instant
  // null: not decided yet.
  readonly closed: { readonly at: Temporal.Instant; readonly isWon: boolean } | null
}

// The port that every connector implements; tests run one conformance suite against each. Nothing here
// throws for what the outside does: an exception that escapes is a fault of the connector and is treated as
// `unknown`.
export type Acquirer = {
  readonly name: string
  describeCard(card: CardNumber): CardKind
  authorize(request: AuthorizeRequest, signal: AbortSignal): Promise<AcquirerAnswer>
  refund(request: RefundRequest, signal: AbortSignal): Promise<AcquirerAnswer>
  // Every connector can: without it no silence would ever end. Asked about a reference that was never used as
  // well, only to hear whether the acquirer answers.
  inquire(ref: AcquirerRef, signal: AbortSignal): Promise<InquiryAnswer>
  // Takes an authorization back, in full, before it is settled. Repeated until acknowledged or refused.
  reverse(ref: AcquirerRef, signal: AbortSignal): Promise<ReversalAnswer>
  settle(batch: BatchRequest, signal: AbortSignal): Promise<AcquirerAnswer>
  report(from: Temporal.Instant, to: Temporal.Instant): AsyncIterable<ReportLine>
  // Those that were opened in this time.
  disputes(from: Temporal.Instant, to: Temporal.Instant): AsyncIterable<DisputeLine>
}
