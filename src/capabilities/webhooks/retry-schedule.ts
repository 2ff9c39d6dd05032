import { laterOf } from '#kernel/calendar.ts'

// When a delivery is tried again, and when its receiver is left alone for a while.

const secondsBefore = [
  0,
  5,
  5 * 60,
  30 * 60,
  2 * 3_600,
  5 * 3_600,
  10 * 3_600,
  14 * 3_600,
  20 * 3_600,
  24 * 3_600,
]
export const triesMax = secondsBefore.length
const jitterPercent = 20
const retryAfterMsMax = 24 * 3_600_000

export type FailedTry = {
  // This one included.
  readonly tries: number
  readonly deliveryId: bigint
  // What the receiver asked for; 0 when it asked for nothing.
  readonly retryAfterMs: number
}

// How long to wait before the next try; null when there is none. Deliveries that failed together do not come
// back together: each has its own place within a fifth before and after.
export function delayBeforeNextTry({ tries, deliveryId, retryAfterMs }: FailedTry): number | null {
  const seconds = secondsBefore[tries]
  if (seconds === undefined) return null
  const place = scatter(deliveryId, tries) * 2 - 1
  const delayMs = Math.round(seconds * 1_000 * (1 + (place * jitterPercent) / 100))
  return Math.max(delayMs, Math.min(retryAfterMs, retryAfterMsMax))
}

// A number from 0 to 1 that is always the same for the same delivery and try, and looks like chance.
function scatter(deliveryId: bigint, tries: number): number {
  let mixed = Number(BigInt.asUintN(32, deliveryId * 2_654_435_761n)) ^ Math.imul(tries, 0x9e37_79b1)
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9_f3b)
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 0xffff_ffff
}

export type LaneHealth = {
  readonly failures: number
  readonly failingSince: Temporal.Instant | null
  readonly lastFailedAt: Temporal.Instant | null
  readonly pausedUntil: Temporal.Instant | null
}

const failuresBeforePause = 5
const pauseMsFirst = 5_000
const pauseMsMax = 5 * 60_000
const daysBeforeGivingUp = 5
// Longer than the longest wait between two tries.
const quietHours = 30
const busyStatuses = new Set([429, 502, 503, 504])

export type LaneFailure = {
  readonly status: number | null
  readonly retryAfterMs: number
  readonly at: Temporal.Instant
}

// After a few failures in a row everything for that receiver rests for a while that doubles; one that says it
// is busy is believed at once. What rests uses up no tries. Others are on their way when a rest begins: how
// those end makes it no shorter.
export function afterFailure(health: LaneHealth, { status, retryAfterMs, at }: LaneFailure): LaneHealth {
  const failures = health.failures + 1
  const isBusy = status !== null && busyStatuses.has(status)
  const doublings = Math.min(Math.max(failures - failuresBeforePause, 0), 10)
  const isResting = isBusy || failures >= failuresBeforePause
  const restMs = isResting ? Math.min(pauseMsFirst * 2 ** doublings, pauseMsMax) : 0
  const pauseMs = isBusy ? Math.max(restMs, Math.min(retryAfterMs, retryAfterMsMax)) : restMs
  const restEnd = at.add({ milliseconds: pauseMs })
  return {
    failures,
    failingSince: isFailingStill(health, at) ? health.failingSince : at,
    lastFailedAt: at,
    pausedUntil: pauseMs === 0 ? health.pausedUntil : laterOf(health.pausedUntil ?? at, restEnd),
  }
}

// Nobody knows what a receiver would have answered while nothing was sent to it, so silence does not count.
function isFailingStill({ failingSince, lastFailedAt }: LaneHealth, at: Temporal.Instant): boolean {
  if (failingSince === null || lastFailedAt === null) return false
  return Temporal.Instant.compare(lastFailedAt.add({ hours: quietHours }), at) >= 0
}

export function isHopeless({ failingSince }: LaneHealth, at: Temporal.Instant): boolean {
  return (
    failingSince !== null &&
    Temporal.Instant.compare(failingSince.add({ hours: daysBeforeGivingUp * 24 }), at) <= 0
  )
}

// Retry-After is a number of seconds or a date.
export function readRetryAfter(text: string, now: Temporal.Instant): number {
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? 0 : Math.max(0, ms - now.epochMilliseconds)
}
