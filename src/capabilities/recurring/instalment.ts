import type { ConsentId } from '#capabilities/consents/consent.ts'
import type { Period } from '#capabilities/recurring/period.ts'
import { triedOut } from '#capabilities/recurring/retry-rule.ts'
import type { AttemptId } from '#engine/payments/attempt.ts'
import { assert } from '#kernel/assert.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { AccountId, Branded, MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'

export type InstalmentId = Branded<bigint, 'InstalmentId'>
export type PlanId = Branded<bigint, 'PlanId'>

// charging: an attempt is under way, or its outcome is not known yet.
export type InstalmentState = 'scheduled' | 'charging' | 'paid' | 'failed' | 'cancelled'

// One payment of a plan, with what is shown of its plan and consent.
export type Instalment = {
  readonly instalmentId: InstalmentId
  readonly planId: PlanId
  readonly consentId: ConsentId
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly paymentNumber: number
  readonly state: InstalmentState
  readonly dueOn: Temporal.PlainDate
  readonly attemptOn: Temporal.PlainDate
  // The first day whose automatic run may take it.
  readonly collectOn: Temporal.PlainDate
  readonly amount: Money
  // Recorded for it, whatever became of them: the next reference follows from it.
  readonly attempts: number
  // Those that reached the bank or may have.
  readonly tries: number
  // Failed for good: only a new card helps.
  readonly isFinalFailure: boolean
  readonly isPlanActive: boolean
  readonly because: string
  // Of its latest attempt.
  readonly attemptId: AttemptId | null
  readonly period: Period
  // Null for a subscription.
  readonly payments: number | null
  readonly total: Money
  readonly guid: string
  readonly holderLastName: string
  readonly lastFour: string
  readonly brand: CardBrand
}

// Scheduled, or failed because its retries are used up: somebody may move it, or ask for it once more.
function isOpen({
  state,
  isFinalFailure,
  isPlanActive,
}: Pick<Instalment, 'state' | 'isFinalFailure' | 'isPlanActive'>): boolean {
  return state === 'scheduled' || (state === 'failed' && !isFinalFailure && isPlanActive)
}

// How people are told of a payment. Outside nobody knows a plan by another id than that of its consent.
export function instalmentName({
  paymentNumber,
  consentId,
}: Pick<Instalment, 'paymentNumber' | 'consentId'>): string {
  return `Payment ${paymentNumber} of the plan of consent ${consentId}`
}

// How people are told why a payment cannot be changed or charged.
export function stateWord({ state, isFinalFailure }: Instalment): string {
  if (state === 'charging') return 'being charged; its outcome is not known yet'
  if (state !== 'failed') return state
  return isFinalFailure ? 'declined for good' : 'failed'
}

// Why it can be neither changed nor asked for once more, for people; null where it can.
export function whyNotOpen(instalment: Instalment, today: Temporal.PlainDate): string | null {
  return isOpen(instalment) ? triedOut(instalment, today) : stateWord(instalment)
}

export function instalmentId(value: bigint): InstalmentId {
  assert(isInstalmentId(value), 'an id is a positive number')
  return value
}

function isInstalmentId(value: bigint): value is InstalmentId {
  return value > 0n
}
