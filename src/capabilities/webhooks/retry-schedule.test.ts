import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  afterFailure,
  delayBeforeNextTry,
  isHopeless,
  readRetryAfter,
  triesMax,
} from '#capabilities/webhooks/retry-schedule.ts'

const at = Temporal.Instant.from('2027-01-15T10:00:00Z')
const healthy = { failures: 0, failingSince: null, lastFailedAt: null, pausedUntil: null }

const seconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
for (const [place, usual] of seconds.entries()) {
  test(`after try ${place + 1} the next comes in about ${usual} s, a fifth earlier or later`, () => {
    const delays = Array.from({ length: 500 }, (_, id) =>
      Number(delayBeforeNextTry({ tries: place + 1, deliveryId: BigInt(id), retryAfterMs: 0 })),
    )
    assert(Math.min(...delays) >= usual * 800 && Math.max(...delays) <= usual * 1_200)
    assert(Math.min(...delays) < usual * 850 && Math.max(...delays) > usual * 1_150, 'they are spread')
  })
}

test('ten tries take 75 hours and a half, and there is no eleventh', () => {
  assert.equal(triesMax, 10)
  assert.equal(Math.round(seconds.reduce((sum, one) => sum + one) / 360) / 10, 75.6)
  assert.equal(delayBeforeNextTry({ tries: 10, deliveryId: 1n, retryAfterMs: 0 }), null)
})

for (const [what, askedMs, delayMs] of [
  ['for an hour', 3_600_000, 3_600_000],
  ['for 99 days and gets one', 99 * 86_400_000, 86_400_000],
  ['for less', 1, delayBeforeNextTry({ tries: 1, deliveryId: 1n, retryAfterMs: 0 })],
] as const) {
  test(`a receiver may ask ${what}`, () => {
    assert.equal(delayBeforeNextTry({ tries: 1, deliveryId: 1n, retryAfterMs: askedMs }), delayMs)
  })
}

test('after five failures in a row a receiver rests, longer each time, five minutes at the most', () => {
  let health: Parameters<typeof afterFailure>[0] = healthy
  const rests: number[] = []
  for (let failures = 1; failures <= 13; failures++) {
    health = afterFailure(health, { status: 500, retryAfterMs: 0, at })
    rests.push(health.pausedUntil === null ? 0 : health.pausedUntil.since(at).total('seconds'))
  }
  assert.deepEqual(rests, [0, 0, 0, 0, 5, 10, 20, 40, 80, 160, 300, 300, 300])
})

for (const [status, retryAfterMs, restS] of [
  [429, 0, 5],
  [429, 60_000, 60],
  [503, 120_000, 120],
  [502, 0, 5],
  [504, 0, 5],
  [500, 60_000, 0],
  [null, 0, 0],
] as const) {
  test(`${status ?? 'silence'} with Retry-After ${retryAfterMs / 1_000} s rests ${restS} s at once`, () => {
    const { pausedUntil } = afterFailure(healthy, { status, retryAfterMs, at })
    assert.equal(pausedUntil === null ? 0 : pausedUntil.since(at).total('seconds'), restS)
  })
}

test('a receiver that asked for an hour gets it, whatever what was on its way ends with', () => {
  let health = afterFailure(healthy, { status: 503, retryAfterMs: 3_600_000, at })
  for (const status of [503, null, 500, 429])
    health = afterFailure(health, { status, retryAfterMs: 0, at: at.add({ seconds: 15 }) })
  assert.equal(health.failures, 5)
  assert.equal(health.pausedUntil?.since(at).total('seconds'), 3_600)
})

test('five days of failures only are hopeless', () => {
  const health = afterFailure(healthy, { status: 500, retryAfterMs: 0, at })
  assert(!isHopeless(health, at.add({ hours: 119 })))
  assert(isHopeless(health, at.add({ hours: 120 })))
  assert(!isHopeless(healthy, at.add({ hours: 1_000 })))
})

test('days in which nothing was sent do not count as days of failures', () => {
  const failed = (health: Parameters<typeof afterFailure>[0], hours: number) =>
    afterFailure(health, { status: 500, retryAfterMs: 0, at: at.add({ hours }) })
  let health = failed(healthy, 0)
  health = failed(health, 24 * 40)
  assert(!isHopeless(health, at.add({ hours: 24 * 40 })))
  for (let hours = 29; hours < 120; hours += 29) health = failed(health, 24 * 40 + hours)
  assert(!isHopeless(health, at.add({ hours: 24 * 40 + 119 })))
  assert(isHopeless(health, at.add({ hours: 24 * 45 })))
})

for (const [text, ms] of [
  ['120', 120_000],
  ['Fri, 15 Jan 2027 10:01:00 GMT', 60_000],
  ['Fri, 15 Jan 2027 09:00:00 GMT', 0],
  ['soon', 0],
  ['', 0],
  ['-5', 0],
] as const) {
  test(`Retry-After: ${text || 'nothing'} means ${ms} ms`, () => {
    assert.equal(readRetryAfter(text, at), ms)
  })
}
