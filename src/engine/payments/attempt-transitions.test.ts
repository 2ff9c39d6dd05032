import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { AcquirerAnswer, Approved, Declined } from '#engine/acquirers/acquirer-answer.ts'
import { type Attempt, attemptId, type AttemptState, isFinal } from '#engine/payments/attempt.ts'
import { type AttemptInput, nextState } from '#engine/payments/attempt-transitions.ts'
import { type Decision, decidedOutcomes } from '#engine/payments/decision.ts'
import { movedAttempt } from '#engine/payments/moved-attempt.ts'
import { accountId } from '#kernel/ids.ts'
import { amounts, cents, newAttempt } from '../../../test/crash/attempt-builder.ts'

const at = Temporal.Instant.from('2027-01-15T10:00:00Z')

function attemptIn(state: AttemptState, changes: Partial<Attempt> = {}): Attempt {
  const { callerKey: _, ...asked } = newAttempt({ account: accountId(1n), ref: 'r1', at, key: 'k1' })
  return {
    ...asked,
    attemptId: attemptId(1n),
    currency: asked.amounts.total.currency,
    state,
    fence: 1,
    approved: amounts(0n),
    approvalCode: '',
    resultCode: '',
    avs: '',
    cvv: '',
    networkId: '',
    ...changes,
  }
}

const approved = (minor = 1_030n, avs = 'Y', cvv = 'M'): Approved => ({
  kind: 'approved',
  approvalCode: 'A1',
  amount: cents(minor),
  checks: { avs, cvv },
  networkId: 'N1',
})
const declined: Declined = { kind: 'declined', code: '05', checks: { avs: 'N', cvv: '' } }
const unknown = { kind: 'unknown', because: 'timeout' } as const
const answer = (of: AcquirerAnswer): AttemptInput => ({ on: 'answer', answer: of })
type Inquiry = Extract<AttemptInput, { on: 'inquiry' }>
const inquiry = (of: Inquiry['answer'], more: Partial<Inquiry> = {}): AttemptInput => ({
  on: 'inquiry',
  answer: of,
  isCallerWaiting: false,
  isSecondNotFound: false,
  ...more,
})
const reversalAnswers = {
  reversed: { kind: 'reversed' },
  refused: { kind: 'refused', code: '12' },
  unknown,
} as const
const reversal = (kind: keyof typeof reversalAnswers, wasFound = true): AttemptInput => ({
  on: 'reversal',
  answer: reversalAnswers[kind],
  wasFound,
})

const strict = { acceptsPartial: false, avsNeeded: 'full', cvvNeeded: true } as const
const zipOnly = { acceptsPartial: false, avsNeeded: 'zip', cvvNeeded: false } as const
const reverse: Partial<Attempt> = { policy: 'reverse' }
const verify: Partial<Attempt> = { kind: 'verify', amounts: amounts(0n) }
const aVoid: Partial<Attempt> = { kind: 'void' }
const notFound = { kind: 'not_found' } as const

const decided = (outcome: Decision['outcome']): AttemptInput => ({
  on: 'decided',
  decision: { outcome, reason: 'the bank says so', operator: 'ann' },
})

type Edge = readonly [string, AttemptState, AttemptInput, AttemptState | null, Partial<Attempt>?]
const table: readonly Edge[] = [
  ['an approval', 'sending', answer(approved()), 'approved'],
  ['an approval of a part', 'sending', answer(approved(500n)), 'partial'],
  ['a part that is not wanted', 'sending', answer(approved(500n)), 'reversal_due', { conditions: strict }],
  [
    'an address that differs',
    'sending',
    answer(approved(1_030n, 'Z')),
    'reversal_due',
    { conditions: strict },
  ],
  ['a zip that suffices', 'sending', answer(approved(1_030n, 'Z', '')), 'approved', { conditions: zipOnly }],
  [
    'a code that differs',
    'sending',
    answer(approved(1_030n, 'Y', 'N')),
    'reversal_due',
    { conditions: strict },
  ],
  ['all conditions met', 'sending', answer(approved()), 'approved', { conditions: strict }],
  [
    'a card that fails its check',
    'sending',
    answer(approved(0n, 'N')),
    'declined',
    { ...verify, conditions: strict },
  ],
  ['a decline', 'sending', answer(declined), 'declined'],
  ['nothing left', 'sending', answer({ kind: 'not_sent' }), 'not_sent'],
  ['silence', 'sending', answer(unknown), 'unknown'],
  ['a holder that is gone', 'sending', { on: 'lease_lost' }, 'unknown'],
  ['found approved, to be resolved', 'unknown', inquiry(approved()), 'approved'],
  ['found approved in part', 'unknown', inquiry(approved(500n)), 'partial'],
  [
    'found approved against a condition',
    'unknown',
    inquiry(approved(500n)),
    'reversal_due',
    { conditions: strict },
  ],
  ['found approved, to be reversed', 'unknown', inquiry(approved()), 'reversal_due', reverse],
  [
    'found approved while the caller waits',
    'unknown',
    inquiry(approved(), { isCallerWaiting: true }),
    'approved',
    reverse,
  ],
  [
    'a verification found approved, caller gone',
    'unknown',
    inquiry(approved(0n)),
    'not_sent',
    { ...verify, ...reverse },
  ],
  ['a void found done, caller gone', 'unknown', inquiry(approved()), 'approved', { ...aVoid, ...reverse }],
  ['found declined', 'unknown', inquiry(declined), 'declined'],
  ['found reversed', 'unknown', inquiry({ kind: 'reversed' }), 'reversed'],
  ['not found', 'unknown', inquiry(notFound), null],
  ['not found twice', 'unknown', inquiry(notFound, { isSecondNotFound: true }), 'reversal_due'],
  [
    'a verification not found twice',
    'unknown',
    inquiry(notFound, { isSecondNotFound: true }),
    'not_sent',
    verify,
  ],
  ['still silence', 'unknown', inquiry(unknown), null],
  ['seven days', 'unknown', { on: 'given_up' }, 'manual'],
  ['the first reversal', 'reversal_due', { on: 'reversal_begun' }, 'reversing'],
  ['a confirmed reversal', 'reversing', reversal('reversed'), 'reversed'],
  ['a confirmed tombstone', 'reversing', reversal('reversed', false), 'not_sent'],
  ['a reversal without an answer', 'reversing', reversal('unknown'), null],
  ['a reversal that the bank refuses', 'reversing', reversal('refused'), 'manual'],
  ['a credit is found after all', 'reversing', inquiry(approved()), 'approved', { kind: 'credit' }],
  ['a part of a credit is found', 'reversing', inquiry(approved(500n)), 'partial', { kind: 'credit' }],
  ['72 hours', 'reversing', { on: 'given_up' }, 'manual'],
  ['an operator who found it approved', 'manual', decided('approved'), 'approved'],
  ['an operator who found it declined', 'manual', decided('declined'), 'declined'],
  ['an operator who found it reversed', 'manual', decided('reversed'), 'reversed'],
  ['an approval of what was told as declined', 'manual', decided('approved'), null, { resultCode: '82' }],
  ['a void that an operator found done', 'manual', decided('approved'), 'approved', aVoid],
  ['a void that an operator found not done', 'manual', decided('declined'), 'declined', aVoid],
  ['a reversal of a void', 'manual', decided('reversed'), null, aVoid],
  ['a reversal of a verification', 'manual', decided('reversed'), null, verify],
]

for (const [sentence, from, input, to, changes] of table) {
  test(`${from}, ${sentence}: ${to ?? 'stays'}`, () => {
    assert.equal(nextState(attemptIn(from, changes), input), to)
  })
}

const states: readonly AttemptState[] = [
  ...(['sending', 'approved', 'partial', 'declined', 'not_sent', 'unknown', 'reversal_due'] as const),
  ...(['reversing', 'reversed', 'manual', 'refused'] as const),
]
const inputs: readonly AttemptInput[] = [
  ...[approved(), approved(500n), declined, unknown, { kind: 'not_sent' } as const].map(answer),
  ...[approved(), declined, unknown, notFound, { kind: 'reversed' } as const].map((one) => inquiry(one)),
  inquiry(notFound, { isSecondNotFound: true }),
  inquiry(approved(500n), { isCallerWaiting: true }),
  reversal('reversed'),
  reversal('reversed', false),
  reversal('unknown'),
  reversal('refused'),
  ...decidedOutcomes.map(decided),
  ...([{ on: 'lease_lost' }, { on: 'reversal_begun' }, { on: 'given_up' }] as const),
]
const kindsOfInputs: Partial<Record<AttemptState, readonly AttemptInput['on'][]>> = {
  sending: ['answer', 'lease_lost'],
  unknown: ['inquiry', 'given_up'],
  reversal_due: ['reversal_begun'],
  reversing: ['reversal', 'given_up', 'inquiry'],
  manual: ['decided'],
}

test('whatever is not in the table changes nothing', () => {
  for (const state of states) {
    for (const input of inputs.filter(({ on }) => !kindsOfInputs[state]?.includes(on))) {
      assert.equal(nextState(attemptIn(state), input), null, `${state} on ${input.on}`)
    }
  }
})

test('only a credit is found after its reversal has begun', () => {
  for (const kind of ['sale', 'void', 'verify'] as const)
    assert.equal(nextState(attemptIn('reversing', { kind }), inquiry(approved())), null)
})

const edges = new Set(table.flatMap(([, from, , to]) => (to ? [`${from} -> ${to}`] : [])))
const anyAttempt = fc.record({
  kind: fc.constantFrom('sale', 'verify', 'void', 'credit'),
  policy: fc.constantFrom('resolve', 'reverse'),
  conditions: fc.record({
    acceptsPartial: fc.boolean(),
    avsNeeded: fc.constantFrom('none', 'zip', 'full'),
    cvvNeeded: fc.boolean(),
  }),
}) satisfies fc.Arbitrary<Partial<Attempt>>

test('any sequence of inputs walks only along the table and never leaves a final state', () => {
  fc.assert(
    fc.property(anyAttempt, fc.array(fc.constantFrom(...inputs), { maxLength: 30 }), (changes, happened) => {
      let current = attemptIn('sending', changes)
      for (const input of happened) {
        const to = nextState(current, input)
        if (to === null) continue
        assert.ok(edges.has(`${current.state} -> ${to}`), `${current.state} -> ${to}`)
        assert.ok(!isFinal(current.state))
        current = movedAttempt(current, to, input.on === 'answer' ? input.answer : null)
      }
    }),
    { numRuns: 2_000 },
  )
})
