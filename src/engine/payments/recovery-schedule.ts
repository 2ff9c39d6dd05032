import type { Attempt } from '#engine/payments/attempt.ts'

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

// Never closed by a timer: after this long it goes into the hands of an operator. A reversal that has not
// been tried yet is tried first, however old its attempt is.
export function isGivenUp(
  { state }: Pick<Attempt, 'state'>,
  since: Temporal.Instant,
  now: Temporal.Instant,
): boolean {
  if (state === 'reversal_due') return false
  const hours = now.since(since).total('hours')
  return state === 'unknown' ? hours >= unknownDaysMax * 24 : hours >= reversalHoursMax
}
