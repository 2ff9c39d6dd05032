import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { verifyLedger } from '#engine/ledger/post.operation.ts'
import { postingsFor } from '#engine/ledger/posting.ts'
import { type Attempt, attemptId, type AttemptKind, type AttemptState } from '#engine/payments/attempt.ts'
import { pay } from '#engine/payments/pay.operation.ts'
import { accountId } from '#kernel/ids.ts'
import { amounts, askToCharge, cents, newAttempt } from '../../../test/crash/attempt-builder.ts'
import { engineOn, openStage, useLane } from '../../../test/crash/lane.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

const at = Temporal.Instant.from('2027-01-15T10:00:00Z')

function attempt(kind: AttemptKind, total: bigint, fee: bigint): Attempt {
  const { callerKey: _, ...asked } = newAttempt({ account: accountId(1n), ref: 'r1', at })
  const blank = { approvalCode: '', resultCode: '', avs: '', cvv: '', networkId: '' }
  const approved = amounts(total - fee, fee)
  const { currency } = approved.total
  return {
    ...asked,
    ...blank,
    kind,
    currency,
    approved,
    attemptId: attemptId(7n),
    state: 'approved',
    fence: 1,
  }
}

type Line = readonly [debit: string, credit: string, minor: bigint]
const table: readonly (readonly [AttemptKind, AttemptState, bigint, bigint, readonly Line[]])[] = [
  ['sale', 'approved', 1_000n, 0n, [['acquirer', 'merchant', 1_000n]]],
  [
    'sale',
    'partial',
    1_030n,
    30n,
    [
      ['acquirer', 'merchant', 1_000n],
      ['acquirer', 'fees', 30n],
    ],
  ],
  [
    'void',
    'approved',
    1_030n,
    30n,
    [
      ['merchant', 'acquirer', 1_000n],
      ['fees', 'acquirer', 30n],
    ],
  ],
  ['credit', 'approved', 500n, 0n, [['merchant', 'acquirer', 500n]]],
  ['verify', 'approved', 0n, 0n, []],
  ...(['declined', 'not_sent', 'unknown', 'reversal_due', 'reversing', 'reversed', 'manual'] as const).map(
    (to) => ['sale', to, 1_000n, 0n, []] as const,
  ),
]
for (const [kind, to, total, fee, lines] of table) {
  test(`a ${kind} of ${total} with fee ${fee} that becomes ${to} leaves ${lines.length} postings`, () => {
    const postings = postingsFor({
      attempt: attempt(kind, total, fee),
      from: 'sending',
      to,
      answer: null,
      at,
      recordedAt: at,
    })
    assert.deepEqual(
      postings.map(({ debit, credit, amount }) => [debit, credit, amount]),
      lines.map(([debit, credit, minor]) => [debit, credit, cents(minor)]),
    )
    // Balanced by construction: one amount, two different sides.
    assert.ok(postings.every(({ debit, credit }) => debit !== credit))
  })
}

describe('the trial balance', () => {
  const lane = useLane()
  // Postings cannot be altered; a vandal with all rights can.
  before(() => lane().client.query('set session_replication_role = replica'))

  const alterations: readonly (readonly [string, string])[] = [
    ['another amount', 'update posting set amount_minor = amount_minor + 1 where posting_id = $1'],
    ['another account of the books', `update posting set credit = 'fees' where posting_id = $1`],
    ['another direction', 'update posting set debit = credit, credit = debit where posting_id = $1'],
    ['another merchant account', 'update posting set account_id = account_id + 1 where posting_id = $1'],
    ['another attempt', 'update posting set attempt_id = attempt_id + 1000 where posting_id = $1'],
    ['no row at all', 'delete from posting where posting_id = $1'],
  ]
  for (const [sentence, sql] of alterations) {
    test(`is sound after charges, and not after a posting has got ${sentence}`, async () => {
      const stage = await openStage(lane(), sentence)
      const { needs } = engineOn(stage)
      const wish = { account: stage.account, ref: `l-${stage.account}`, at: stage.time.now() }
      await pay(needs, newAttempt(wish), askToCharge(needs))
      assert.equal((await verifyLedger(needs.db)).isSound, true)
      const { rows } = await stage.client.query<{ id: string }>(
        `select max(posting_id)::text as id from posting where credit = 'merchant'`,
      )
      await stage.client.query(sql, [rows[0]?.id])
      assert.equal((await verifyLedger(needs.db)).isSound, false)
      await stage.client.query(`truncate posting; update attempt set state = 'declined'`)
    })
  }
})

describe('what was posted', () => {
  const database = useTestDatabase()

  for (const [sentence, sql] of [
    ['be changed', 'update posting set amount_minor = 1'],
    ['be removed', 'delete from posting'],
    ['be emptied out', 'truncate posting'],
    ['lose the history of its attempt', 'delete from attempt_event'],
    ['have that history changed', `update attempt_event set to_state = 'approved'`],
    ['have that history emptied out', 'truncate attempt_event'],
  ] as const) {
    test(`cannot ${sentence}`, async () => {
      const change = { name: `test_${sentence}`, params: [], columns: {}, text: sql } as const
      await assert.rejects(
        database().db.inTransaction((tx) => tx.run(change, [])),
        {
          code: '23001',
          message: /^(posting|attempt_event) is written once and never changed: write another row$/,
        },
      )
    })
  }
})
