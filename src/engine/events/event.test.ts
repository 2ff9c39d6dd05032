import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsFor, paymentFacts } from '#engine/events/event.ts'
import { attemptId, type AttemptKind, type AttemptState, type Move } from '#engine/payments/attempt.ts'
import { accountId } from '#kernel/ids.ts'
import { amounts, newAttempt } from '../../../test/crash/attempt-builder.ts'

const at = Temporal.Instant.from('2027-01-15T10:00:00Z')

function move(kind: AttemptKind, to: AttemptState): Move {
  const { callerKey: _, ...asked } = newAttempt({ account: accountId(1n), ref: 'r1', at })
  const blank = { approvalCode: '', resultCode: '', avs: '', cvv: '', networkId: '' }
  const { currency } = asked.amounts.total
  const parentId = kind === 'void' || kind.startsWith('bank_') ? attemptId(3n) : null
  const approved = amounts(500n, 15n)
  const attempt = {
    ...asked,
    ...blank,
    kind,
    parentId,
    approved,
    currency,
    attemptId: attemptId(7n),
    state: to,
    fence: 1,
  }
  return { attempt, from: 'sending', to, answer: null, at, recordedAt: at }
}

type Row = readonly [AttemptKind, AttemptState, type: string, object: bigint, amount: string]
const table: readonly Row[] = [
  ['sale', 'approved', 'payment.approved', 7n, '5.15'],
  ['sale', 'partial', 'payment.approved', 7n, '5.15'],
  ['sale', 'declined', 'payment.declined', 7n, '10.30'],
  ['sale', 'reversed', 'payment.declined', 7n, '10.30'],
  ['sale', 'not_sent', 'payment.declined', 7n, '10.30'],
  ['sale', 'unknown', 'payment.unknown', 7n, '10.30'],
  ['void', 'approved', 'payment.voided', 3n, '5.15'],
  ['credit', 'approved', 'payment.credited', 7n, '5.15'],
  ['credit', 'declined', 'payment.declined', 7n, '10.30'],
  ['void', 'declined', 'payment.declined', 7n, '10.30'],
  ['void', 'not_sent', 'payment.declined', 7n, '10.30'],
  ['verify', 'declined', 'payment.declined', 7n, '10.30'],
  ['verify', 'not_sent', 'payment.declined', 7n, '10.30'],
  ['bank_debit', 'approved', 'payment.approved', 7n, '5.15'],
  ['bank_void', 'approved', 'payment.voided', 3n, '5.15'],
  ['bank_credit', 'approved', 'payment.credited', 7n, '5.15'],
  ['bank_return', 'approved', 'ach.returned', 3n, '5.15'],
  ['bank_credit_return', 'approved', 'ach.returned', 3n, '5.15'],
]
for (const [kind, to, type, object, amount] of table) {
  test(`a ${kind} that becomes ${to} is told as ${type} of ${object}`, () => {
    const made = move(kind, to)
    const [event, ...others] = eventsFor(made)
    assert.deepEqual([event?.type, event?.objectId], [type, object])
    const facts = paymentFacts(made.attempt)
    assert.equal(facts.amount, amount)
    const isToldLater = to !== 'unknown' && object === made.attempt.attemptId
    assert.deepEqual(event?.body, isToldLater ? null : facts)
    assert.deepEqual(others, [])
  })
}

const silent: readonly (readonly [AttemptKind, AttemptState])[] = [
  ...(['approved', 'unknown', 'refused'] as const).map((to) => ['verify', to] as const),
  ...(['reversal_due', 'reversing', 'manual', 'refused'] as const).map((to) => ['sale', to] as const),
  ['void', 'unknown'],
  ['void', 'refused'],
]
test('an event that is told from its attempt reads as one that PostgreSQL has kept', () => {
  const names = Object.keys(paymentFacts(move('sale', 'approved').attempt))
  assert.equal(names.length, 9)
  assert.deepEqual(names, names.toSorted(byLength))
})

function byLength(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : 1)
}

test('the event of a void that the bank declined names the void and its sale', () => {
  const made = move('void', 'declined')
  const { kind, parent } = paymentFacts(made.attempt)
  assert.deepEqual([eventsFor(made)[0]?.objectId, kind, parent], [7n, 'void', '3'])
})

for (const [kind, to] of silent) {
  test(`a ${kind} that becomes ${to} tells nobody`, () => {
    assert.deepEqual(eventsFor(move(kind, to)), [])
  })
}
