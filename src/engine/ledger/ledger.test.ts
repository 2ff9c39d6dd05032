import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { verifyLedger } from '#engine/ledger/post.operation.ts'
import { postingFor } from '#engine/ledger/posting.ts'
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

type Row = readonly [debit: string, credit: string, minor: bigint, fee: bigint]
const table: readonly (readonly [AttemptKind, AttemptState, bigint, bigint, Row | null])[] = [
  ['sale', 'approved', 1_000n, 0n, ['acquirer', 'merchant', 1_000n, 0n]],
  ['sale', 'partial', 1_030n, 30n, ['acquirer', 'merchant', 1_000n, 30n]],
  ['sale', 'approved', 30n, 30n, ['acquirer', 'fees', 30n, 0n]],
  ['void', 'approved', 1_030n, 30n, ['merchant', 'acquirer', 1_000n, 30n]],
  ['void', 'approved', 30n, 30n, ['fees', 'acquirer', 30n, 0n]],
  ['credit', 'approved', 500n, 0n, ['merchant', 'acquirer', 500n, 0n]],
  ['sale', 'approved', 0n, 0n, null],
  ['verify', 'approved', 0n, 0n, null],
  ...(['declined', 'not_sent', 'unknown', 'reversal_due', 'reversing', 'reversed', 'manual'] as const).map(
    (to) => ['sale', to, 1_000n, 0n, null] as const,
  ),
]
for (const [kind, to, total, fee, row] of table) {
  const left = row ? 'one row' : 'nothing'
  test(`a ${kind} of ${total} with fee ${fee} that becomes ${to} leaves ${left}`, () => {
    const posting = postingFor({
      attempt: attempt(kind, total, fee),
      from: 'sending',
      to,
      answer: null,
      at,
      recordedAt: at,
    })
    assert.deepEqual(
      posting && [posting.debit, posting.credit, posting.amount, posting.fee],
      row && [row[0], row[1], cents(row[2]), cents(row[3])],
    )
    // Balanced by construction: what leaves one side reaches another.
    assert.ok(posting === null || posting.debit !== posting.credit)
  })
}

describe('the trial balance', () => {
  const lane = useLane()
  // Postings cannot be altered; a vandal with all rights can.
  before(() => lane().client.query('set session_replication_role = replica'))

  const alterations: readonly (readonly [string, string])[] = [
    ['another amount', 'update journal set amount_minor = amount_minor + 1 where journal_id = $1'],
    ['another fee', 'update journal set fee_minor = fee_minor + 1 where journal_id = $1'],
    ['no fee', 'update journal set fee_minor = 0 where journal_id = $1'],
    [
      'its fee in its amount',
      'update journal set amount_minor = amount_minor + fee_minor, fee_minor = 0 where journal_id = $1',
    ],
    ['another account of the books', `update journal set credit = 'fees' where journal_id = $1`],
    ['another direction', 'update journal set debit = credit, credit = debit where journal_id = $1'],
    ['another merchant account', 'update journal set account_id = account_id + 1 where journal_id = $1'],
    ['another attempt', 'update journal set attempt_id = attempt_id + 1000 where journal_id = $1'],
    ['no row at all', 'delete from journal where journal_id = $1'],
  ]
  for (const [sentence, sql] of alterations) {
    test(`is sound after charges, and not after a posting has got ${sentence}`, async () => {
      const stage = await openStage(lane(), sentence)
      const { needs } = engineOn(stage)
      const wish = { account: stage.account, ref: `l-${stage.account}`, at: stage.time.now() }
      await pay(needs, newAttempt(wish), askToCharge(needs))
      assert.equal((await verifyLedger(needs.db)).isSound, true)
      const { rows } = await stage.client.query<{ id: string }>(
        'select max(journal_id)::text as id from journal',
      )
      await stage.client.query(sql, [rows[0]?.id])
      assert.equal((await verifyLedger(needs.db)).isSound, false)
      await stage.client.query(`truncate journal; update attempt set state = 'declined'`)
    })
  }
})

describe('what was posted', () => {
  const database = useTestDatabase()

  for (const [sentence, sql] of [
    ['be changed', 'update journal set amount_minor = 1'],
    ['be removed', 'delete from journal'],
    ['be emptied out', 'truncate journal'],
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
          message: /^(journal|attempt_event) is written once and never changed: write another row$/,
        },
      )
    })
  }
})
