import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Approved } from '#engine/acquirers/acquirer-answer.ts'
import { type Attempt, attemptId, type AttemptState, type Conditions } from '#engine/payments/attempt.ts'
import { movedAttempt } from '#engine/payments/moved-attempt.ts'
import { checkDelayMs, hasWaitedEnough, isGivenUp } from '#engine/payments/recovery-schedule.ts'
import { accountId } from '#kernel/ids.ts'
import { amounts, cents, newAttempt, noConditions } from '../../../test/crash/attempt-builder.ts'

const at = Temporal.Instant.from('2027-01-15T10:00:00Z')

function attemptWith(conditions: Conditions): Attempt {
  const wish = { account: accountId(1n), ref: 'r1', at, amounts: amounts(10_000n, 300n), conditions }
  const { callerKey: _, ...asked } = newAttempt(wish)
  const blank = { approvalCode: '', resultCode: '', avs: '', cvv: '', networkId: '' }
  const { currency } = asked.amounts.total
  return {
    ...asked,
    ...blank,
    attemptId: attemptId(1n),
    currency,
    state: 'sending',
    fence: 1,
    approved: amounts(0n),
  }
}

const approval = (minor: bigint, avs: string, cvv: string): Approved => ({
  kind: 'approved',
  approvalCode: 'A1',
  amount: cents(minor),
  checks: { avs, cvv },
  networkId: 'N1',
})
const strict: Conditions = { acceptsPartial: false, avsNeeded: 'full', cvvNeeded: true }

type Row = readonly [string, Conditions, AttemptState, Approved, approved: bigint, fee: bigint, code: string]
const rows: readonly Row[] = [
  ['the whole', noConditions, 'approved', approval(10_300n, '', ''), 10_300n, 300n, 'A1'],
  ['a part has its part of the fee', noConditions, 'partial', approval(5_150n, '', ''), 5_150n, 150n, 'A1'],
  ['a part that was not wanted', strict, 'reversal_due', approval(5_150n, 'Y', 'M'), 0n, 0n, '10'],
  ['a code that differs', strict, 'reversal_due', approval(10_300n, 'Y', 'N'), 0n, 0n, '82'],
  ['an address that differs', strict, 'reversal_due', approval(10_300n, 'N', 'M'), 0n, 0n, '05'],
  ['taken back for want of a key', noConditions, 'reversal_due', approval(10_300n, 'N', ''), 0n, 0n, ''],
]
for (const [sentence, conditions, to, answer, approved, fee, code] of rows) {
  test(`after an approval, ${sentence}: approved ${approved}, code '${code}'`, () => {
    const moved = movedAttempt(attemptWith(conditions), to, answer)
    assert.equal(moved.state, to)
    assert.deepEqual([moved.approved.total, moved.approved.fee], [cents(approved), cents(fee)])
    assert.deepEqual([moved.resultCode, moved.networkId], [code, 'N1'])
  })
}

test('a decline brings its code and checks, silence brings nothing', () => {
  const before = attemptWith(noConditions)
  const declined = movedAttempt(before, 'declined', {
    kind: 'declined',
    code: '51',
    checks: { avs: 'N', cvv: '' },
  })
  assert.deepEqual([declined.resultCode, declined.avs, declined.approved.total], ['51', 'N', cents(0n)])
  const silent = movedAttempt(before, 'unknown', { kind: 'unknown', because: 'timeout' })
  assert.deepEqual(silent, { ...before, state: 'unknown' })
})

test('looks become rarer: 5 s, 15 s, 1 m, 5 m, 15 m, then hourly', () => {
  const seconds = Array.from({ length: 8 }, (_, checks) => checkDelayMs(checks) / 1_000)
  assert.deepEqual(seconds, [5, 15, 60, 300, 900, 3_600, 3_600, 3_600])
})

test('nothing found is believed only long enough after the first time', () => {
  assert.equal(hasWaitedEnough(null, at, 40_000), false)
  assert.equal(hasWaitedEnough(at, at.add({ milliseconds: 39_999 }), 40_000), false)
  assert.equal(hasWaitedEnough(at, at.add({ milliseconds: 40_000 }), 40_000), true)
})

const ages: readonly (readonly [AttemptState, number, boolean])[] = [
  ['unknown', 24 * 7 - 1, false],
  ['unknown', 24 * 7, true],
  ['reversing', 71, false],
  ['reversing', 72, true],
  ['reversal_due', 24 * 6, false],
]
for (const [state, hours, isOver] of ages) {
  test(`after ${hours} hours one that is ${state} ${isOver ? 'goes to' : 'waits for no'} operator`, () => {
    assert.equal(isGivenUp({ state }, at, at.add({ hours })), isOver)
  })
}
