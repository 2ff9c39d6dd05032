import type { AttemptState } from '#engine/payments/attempt.ts'

// When an attempt that is not resolved is looked at again: 5 s, 15 s, 1 m, 5 m, 15 m, then hourly.
const delaysMs = [5_000, 15_000, 60_000, 300_000, 900_000]
const delayMsMax = 3_600_000

export function checkDelayMs(checks: number): number {
  return delaysMs[checks] ?? delayMsMax
}

// Nothing found is believed the second time only, and only long enough after the first.
export function hasWaitedEnough(
  first: Temporal.Instant | null,
  now: Temporal.Instant,
  atLeastMs: number,
): boolean {
  return first !== null && now.since(first).total('milliseconds') >= atLeastMs
}

const unknownDaysMax = 7
const reversalHoursMax = 72

type Patience = {
  readonly since: Temporal.Instant
  readonly checks: number
  readonly isLate: boolean
}

// Never closed by a timer: after this long it goes into the hands of an operator. What has not been tried yet
// is tried first, however long nobody was there to try it.
export function isGivenUp(
  state: AttemptState,
  { since, checks, isLate }: Patience,
  now: Temporal.Instant,
): boolean {
  if (checks === 0 || state === 'reversal_due') return false
  const hours = now.since(since).total('hours')
  return hours >= (state === 'unknown' && !isLate ? unknownDaysMax * 24 : reversalHoursMax)
}
