import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttemptState } from '#engine/payments/attempt.ts'
import { checkDelayMs, hasWaitedEnough, isGivenUp } from '#engine/payments/recovery-schedule.ts'

const since = Temporal.Instant.from('2027-01-15T10:00:00Z')

test('looks become rarer: 5 s, 15 s, 1 m, 5 m, 15 m, then hourly', () => {
  const seconds = Array.from({ length: 8 }, (_, checks) => checkDelayMs(checks) / 1_000)
  assert.deepEqual(seconds, [5, 15, 60, 300, 900, 3_600, 3_600, 3_600])
})

test('nothing found is believed only long enough after the first time', () => {
  assert.equal(hasWaitedEnough(null, since, 40_000), false)
  assert.equal(hasWaitedEnough(since, since.add({ milliseconds: 39_999 }), 40_000), false)
  assert.equal(hasWaitedEnough(since, since.add({ milliseconds: 40_000 }), 40_000), true)
})

type Case = readonly [AttemptState, hours: number, checks: number, isLate: boolean, isGivenUp: boolean]
const table: readonly Case[] = [
  ['unknown', 167, 40, false, false],
  ['unknown', 168, 40, false, true],
  ['unknown', 200, 0, false, false],
  ['reversal_due', 500, 3, false, false],
  ['reversing', 71, 70, false, false],
  ['reversing', 72, 70, false, true],
  ['reversing', 100, 0, false, false],
  ['declined', 71, 70, true, false],
  ['declined', 72, 70, true, true],
  ['not_sent', 72, 70, true, true],
  ['not_sent', 100, 0, true, false],
]
for (const [state, hours, checks, isLate, isOver] of table) {
  const what = `${isLate ? 'a late approval of one that is ' : ''}${state}`
  test(`${what} after ${hours} hours and ${checks} looks: ${isOver ? 'an operator' : 'goes on'}`, () => {
    assert.equal(isGivenUp(state, { since, checks, isLate }, since.add({ hours })), isOver)
  })
}
