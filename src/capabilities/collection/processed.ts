import type { Instalment, InstalmentId } from '#capabilities/recurring/instalment.ts'
import type { Attempt, AttemptId } from '#engine/payments/attempt.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import { type Money, subtractMoney } from '#kernel/money.ts'

// An instalment that a run has sent to the acquirer. Holds what an answer contains and no more, because a
// run may hold ten thousand of them.
export type ProcessedPayment = {
  readonly instalmentId: InstalmentId
  readonly planId: bigint
  readonly consentId: bigint
  readonly isSubscription: boolean
  readonly merchantNumber: number
  readonly paymentNumber: number
  readonly lastFour: string
  readonly holder: string
  readonly brand: CardBrand
  readonly outcome: 'approved' | 'partial' | 'declined' | 'unknown'
  // What was approved; otherwise what was requested.
  readonly amount: Money
  // What a partial approval has left.
  readonly rest: Money | null
  readonly attemptId: AttemptId
  readonly code: string
  readonly atMs: number
  // Its place in the batch that is open; 0 for what is in none.
  readonly sequence: number
}

// What a run has come to so far.
export type Processed = {
  readonly approved: readonly ProcessedPayment[]
  readonly declined: readonly ProcessedPayment[]
  // Charged, maybe: resolved by itself.
  readonly unknown: readonly ProcessedPayment[]
  // Nothing was charged: the acquirer could not be reached, or somebody else has taken it.
  readonly untouched: readonly InstalmentId[]
  // running: answered before its end, and it goes on. cut_short: it ended before it was through.
  readonly ending: 'finished' | 'running' | 'cut_short'
}

export function processedPayment(
  instalment: Instalment,
  attempt: Attempt,
  { outcome, sequence }: Pick<ProcessedPayment, 'outcome' | 'sequence'>,
): ProcessedPayment {
  const { instalmentId, planId, consentId, payments, merchantNumber, paymentNumber } = instalment
  const { amounts, approved, details, attemptId, resultCode, createdAt } = attempt
  const isTaken = outcome === 'approved' || outcome === 'partial'
  return {
    instalmentId,
    planId,
    consentId,
    isSubscription: payments === null,
    merchantNumber,
    paymentNumber,
    lastFour: details.lastFour,
    holder: `${details.holderFirstName} ${details.holderLastName}`.trim(),
    brand: details.brand,
    outcome,
    amount: isTaken ? approved.total : amounts.total,
    rest: outcome === 'partial' ? subtractMoney(amounts.total, approved.total) : null,
    attemptId,
    code: outcome === 'unknown' ? '' : resultCode,
    atMs: createdAt.epochMilliseconds,
    sequence,
  }
}
