import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stateWord } from '#capabilities/sales/found-operation.ts'
import type { AttemptState } from '#engine/payments/attempt.ts'

// What the caller was told: a code is there where something was declined, or approved and taken back because
// a condition was not met.
const words: readonly (readonly [AttemptState, resultCode: string, word: string])[] = [
  ['approved', '00', 'approved'],
  ['partial', '10', 'partial'],
  ['declined', '05', 'declined'],
  ['not_sent', '', 'not sent'],
  ['refused', '', 'refused'],
  ['sending', '', 'unknown'],
  ['unknown', '', 'unknown'],
  ['reversal_due', '82', 'declined'],
  ['reversing', '82', 'declined'],
  ['reversed', '82', 'declined'],
  ['manual', '82', 'declined'],
  ['reversal_due', '', 'unknown'],
  ['reversing', '', 'unknown'],
  ['reversed', '', 'reversed'],
  ['manual', '', 'unknown'],
]
for (const [state, resultCode, word] of words) {
  test(`an operation that is ${state} with the code '${resultCode}' is found as ${word}`, () => {
    assert.equal(stateWord({ state, resultCode }), word)
  })
}
