import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attemptId, type AttemptState } from '#engine/payments/attempt.ts'
import { outcomeOf } from '#engine/payments/outcome.ts'
import { accountId } from '#kernel/ids.ts'
import { amounts, newAttempt } from '../../../test/crash/attempt-builder.ts'

const at = Temporal.Instant.from('2027-01-15T10:00:00Z')

type Row = readonly [AttemptState, resultCode: string, said: string]
const table: readonly Row[] = [
  ['approved', 'A1', 'approved'],
  ['partial', 'A1', 'partial'],
  ['declined', '05', 'declined'],
  ['not_sent', '', 'not_charged'],
  ['sending', '', 'outcome_unknown'],
  ['unknown', '', 'outcome_unknown'],
  ['manual', '', 'outcome_unknown'],
  // Taken back because a condition was not met: a decline from the first moment.
  ['reversal_due', '82', 'declined'],
  ['reversing', '82', 'declined'],
  ['reversed', '82', 'declined'],
  ['manual', '82', 'declined'],
  // Taken back because nobody heard of it: final only when the bank has confirmed it.
  ['reversal_due', '', 'outcome_unknown'],
  ['reversing', '', 'outcome_unknown'],
  ['reversed', '', 'charge_reversed'],
]
for (const [state, resultCode, said] of table) {
  test(`an attempt that is ${state} with code '${resultCode}' is told as ${said}`, () => {
    const { callerKey: _, ...asked } = newAttempt({ account: accountId(1n), ref: 'r1', at })
    const blank = { approvalCode: '', avs: '', cvv: '', networkId: '', approved: amounts(0n) }
    const { currency } = asked.amounts.total
    const row = { ...asked, ...blank, currency, attemptId: attemptId(1n), fence: 1, state, resultCode }
    const outcome = outcomeOf(row)
    assert.equal(outcome.ok ? outcome.value.state : outcome.refusal.kind, said)
  })
}
