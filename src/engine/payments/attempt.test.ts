import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AttemptState, isToldAsDeclined } from '#engine/payments/attempt.ts'

// With the code of a condition that was broken, and with none.
type Row = readonly [AttemptState, withCode: boolean, withoutCode: boolean]
const table: readonly Row[] = [
  ['sending', false, false],
  ['approved', false, false],
  ['partial', false, false],
  ['declined', true, true],
  ['not_sent', false, false],
  ['unknown', false, false],
  // Without a code it is taken back because nobody heard of it.
  ['reversal_due', true, false],
  ['reversing', true, false],
  ['reversed', true, false],
  ['manual', true, false],
  ['refused', false, false],
]
for (const [state, withCode, withoutCode] of table) {
  test(`told as declined, with a code and without: ${state}, ${withCode} and ${withoutCode}`, () => {
    assert.equal(isToldAsDeclined({ state, resultCode: '82' }), withCode)
    assert.equal(isToldAsDeclined({ state, resultCode: '' }), withoutCode)
  })
}
