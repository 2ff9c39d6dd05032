import type { Instalment, InstalmentId } from '#capabilities/recurring/instalment.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import { subtractMoney } from '#kernel/money.ts'
import type { Money } from '#kernel/money.ts'

// An instalment that was charged or declined.
export type ProcessedPayment = {
  readonly instalment: Instalment
  readonly attempt: Attempt
  // Its place in the batch that is open; 0 for what is in none.
  readonly sequence: number
}

// What a run has come to so far.
export type Processed = {
  readonly approved: readonly ProcessedPayment[]
  readonly declined: readonly ProcessedPayment[]
  // Charged, maybe: resolved by itself.
  readonly unknown: readonly InstalmentId[]
  // Nothing was charged: the acquirer could not be reached, or somebody else has taken it.
  readonly untouched: readonly InstalmentId[]
  // Answered before its end; it goes on.
  readonly isRunning: boolean
}

export function isPartial({ attempt }: ProcessedPayment): boolean {
  return attempt.state === 'partial'
}

export function restOf({ attempt }: ProcessedPayment): Money {
  return subtractMoney(attempt.amounts.total, attempt.approved.total)
}
