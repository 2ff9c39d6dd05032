import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fateOf, freesReferences } from '#engine/look-alikes/look-alike.ts'
import type { Attempt, AttemptKind, AttemptState } from '#engine/payments/attempt.ts'

const freeing: readonly (readonly [AttemptKind, AttemptState, boolean])[] = [
  ['sale', 'sending', false],
  ['sale', 'approved', false],
  ['sale', 'partial', false],
  ['sale', 'unknown', false],
  ['sale', 'reversal_due', false],
  ['sale', 'reversing', false],
  ['sale', 'manual', false],
  ['sale', 'declined', true],
  ['sale', 'not_sent', true],
  ['sale', 'reversed', true],
  ['sale', 'refused', true],
  ['bank_debit', 'approved', false],
  ['bank_debit', 'refused', true],
  ['void', 'approved', true],
  ['void', 'unknown', false],
  ['void', 'declined', false],
  ['void', 'refused', false],
  ['bank_void', 'approved', true],
  ['bank_void', 'refused', false],
]
for (const [kind, to, isFree] of freeing) {
  test(`${kind} + ${to} -> its references are ${isFree ? 'free' : 'kept'}`, () => {
    assert.equal(freesReferences({ attempt: attemptOf({ kind, state: to }), to }), isFree)
  })
}

const fates: readonly (readonly [Partial<Attempt>, string])[] = [
  [{ state: 'approved' }, 'was approved with code A1B2C3'],
  [{ state: 'partial' }, 'was approved in part with code A1B2C3'],
  [{ state: 'sending' }, 'has no outcome yet: query it, do not charge again'],
  [{ state: 'unknown' }, 'has no outcome yet: query it, do not charge again'],
  [{ state: 'reversing' }, 'has no outcome yet: query it, do not charge again'],
  [
    { state: 'reversal_due', resultCode: '10' },
    'was declined and is being taken back: try again in a moment',
  ],
  [{ state: 'declined', resultCode: '05' }, 'was declined in this moment: try again'],
  [{ state: 'reversed' }, 'was reversed in this moment: try again'],
  [{ state: 'not_sent' }, 'was not charged, as is known since this moment: try again'],
  [{ state: 'refused' }, 'was not charged, as is known since this moment: try again'],
]
for (const [changes, fate] of fates) {
  test(`an earlier charge that is ${changes.state} ${fate}`, () => {
    assert.equal(fateOf(attemptOf(changes)), fate)
  })
}

function attemptOf(changes: Partial<Attempt>): Attempt {
  const known: Partial<Attempt> = { kind: 'sale', approvalCode: 'A1B2C3', resultCode: '', ...changes }
  return known as Attempt
}
