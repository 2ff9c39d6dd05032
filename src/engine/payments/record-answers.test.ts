import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { takeAttempts } from '#engine/payments/attempt.store.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import { fileLateAnswer } from '#engine/payments/late-answer.operation.ts'
import { pay } from '#engine/payments/pay.operation.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { FenceLost } from '#engine/payments/record-answers.operation.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { voidDone } from '#engine/payments/resolve-attempt.operation.ts'
import { askToCharge, newAttempt } from '../../../test/crash/attempt-builder.ts'
import { engineOn, openStage, type Stage, useLane } from '../../../test/crash/lane.ts'

async function countOf({ client, account }: Stage, table: 'posting' | 'event' | 'payment'): Promise<number> {
  const { rowCount } = await client.query(`select 1 from ${table} where account_id = $1`, [account])
  return rowCount ?? 0
}

async function lateOf({ client }: Stage, { attemptId }: Attempt): Promise<unknown> {
  const { rows } = await client.query<object>(
    'select from_state, to_state, fence, cause from attempt_event where attempt_id = $1 and is_late',
    [attemptId],
  )
  return rows
}

// Also those in expressions and in conditions.
const indexedColumns = `
  select distinct a.attname as name
  from pg_index x join pg_attribute a on a.attrelid = x.indrelid and (a.attnum = any(x.indkey) or exists (
    select 1 from pg_depend d
    where d.objid = x.indexrelid and d.refobjid = x.indrelid and d.refobjsubid = a.attnum))
  where x.indrelid = 'attempt'::regclass order by 1`

const approval = (attempt: Attempt) => ({ on: 'answer', answer: voidDone(attempt) }) as const

describe('T2, the recording of answers', () => {
  const lane = useLane()

  async function begin(name: string): Promise<{ stage: Stage; needs: PaymentNeeds; attempt: Attempt }> {
    const stage = await openStage(lane(), name)
    const { needs } = engineOn(stage)
    const following = [{ follower: 'limit', subject: stage.limit, detail: null }]
    const wish = { account: stage.account, ref: `${name}-${stage.account}`, at: stage.time.now(), following }
    const verdict = await needs.attempts.add(newAttempt(wish))
    assert(verdict.kind === 'sending')
    return { stage, needs, attempt: verdict.attempt }
  }

  // Otherwise every move would write every index.
  test('no index of attempts holds what a move, a void or a credit changes', async () => {
    const { rows } = await lane().client.query<{ name: string }>(indexedColumns)
    const lasting = ['account_id', 'acquirer_ref', 'attempt_id', 'created_at', 'details', 'parent_id']
    assert.deepEqual(
      rows.map(({ name }) => name),
      lasting,
    )
  })

  test('an outcome, its payment, postings and event are there together', async () => {
    const { stage, needs, attempt } = await begin('together')
    const move = await needs.answers.add({ attempt, input: approval(attempt) })
    assert.equal(move?.to, 'approved')
    const counts = [
      await countOf(stage, 'payment'),
      await countOf(stage, 'posting'),
      await countOf(stage, 'event'),
    ]
    assert.deepEqual(counts, [1, 2, 1])
  })

  test('whoever lost its fence writes nothing at all', async () => {
    const { stage, needs, attempt } = await begin('fence')
    stage.time.advance(46_000)
    const now = stage.time.now()
    await takeAttempts(needs.db, { ids: [attempt.attemptId], now, leaseUntil: now.add({ seconds: 45 }) })
    await assert.rejects(needs.answers.add({ attempt, input: approval(attempt) }), FenceLost)
    const counts = [
      await countOf(stage, 'payment'),
      await countOf(stage, 'posting'),
      await countOf(stage, 'event'),
    ]
    assert.deepEqual(counts, [0, 0, 0])
  })

  test('a sleeper that wakes after others have recorded the outcome files its answer as late', async () => {
    const stage = await openStage(lane(), 'sleeper')
    const meanwhile = async (): Promise<void> => {
      stage.time.advance(46_000)
      await recoverAttempts(engineOn(stage).needs)
    }
    const { needs } = engineOn(stage, { onSleep: { at: 'before_t2', meanwhile } })
    const wish = { account: stage.account, ref: `sleeper-${stage.account}`, at: stage.time.now(), key: 'k' }
    const paid = await pay(needs, newAttempt(wish), askToCharge(needs))
    assert(paid.kind === 'recorded')
    assert.equal(paid.attempt.state, 'approved')
    assert.deepEqual(await lateOf(stage, paid.attempt), [
      { from_state: 'approved', to_state: 'approved', fence: 1, cause: 'approved' },
    ])
  })

  test('one lost fence does not keep the neighbours of its batch from their outcome', async () => {
    const lost = await begin('lost')
    const kept = await begin('kept')
    const stale = { ...lost.attempt, fence: 0 }
    const { answers } = kept.needs
    const results = await Promise.allSettled([
      answers.add({ attempt: stale, input: approval(stale) }),
      answers.add({ attempt: kept.attempt, input: approval(kept.attempt) }),
    ])
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'fulfilled'],
    )
    await kept.needs.answers.add({ attempt: lost.attempt, input: approval(lost.attempt) })
  })

  test('an event that changes nothing writes nothing', async () => {
    const { stage, needs, attempt } = await begin('nothing')
    assert.equal(await needs.answers.add({ attempt, input: { on: 'given_up' } }), null)
    assert.equal(await countOf(stage, 'event'), 0)
    await needs.answers.add({ attempt, input: approval(attempt) })
  })

  test('a late answer to a resolved attempt is filed and changes nothing', async () => {
    const { stage, needs, attempt } = await begin('late')
    await needs.answers.add({ attempt, input: approval(attempt) })
    await fileLateAnswer(needs, attempt, voidDone(attempt))
    assert.deepEqual(await lateOf(stage, attempt), [
      { from_state: 'approved', to_state: 'approved', fence: 1, cause: 'approved' },
    ])
    const { rowCount } = await stage.client.query('select 1 from unresolved_attempt where attempt_id = $1', [
      attempt.attemptId,
    ])
    assert.equal(rowCount, 0)
  })

  for (const [word, answer] of [
    ['not_sent', { kind: 'not_sent' }],
    ['declined', { kind: 'declined', code: '05', checks: { avs: '', cvv: '' } }],
  ] as const) {
    test(`a late approval of an attempt that is ${word} is reversed until the bank confirms it`, async () => {
      const { stage, needs, attempt } = await begin(`late-${word}`)
      await needs.answers.add({ attempt, input: { on: 'answer', answer } })
      stage.bank.faults.add({ verb: 'reverse', times: 1, delivery: { losesRequest: true, hangsUp: true } })
      await fileLateAnswer(needs, attempt, voidDone(attempt))
      await recoverAttempts(needs)
      assert.equal((await stage.bank.log.read({ last: 9 })).length, 0)
      stage.time.advance(6_000)
      await recoverAttempts(needs)
      const rows = await stage.bank.log.read({ last: 9 })
      assert.deepEqual(
        rows.map(({ verb, ref }) => [verb, ref]),
        [['reverse', attempt.ref]],
      )
      const { rows: left } = await stage.client.query<{ state: string; open: boolean }>(
        `select state, exists (select 1 from unresolved_attempt u where u.attempt_id = a.attempt_id) as open
         from attempt a where attempt_id = $1`,
        [attempt.attemptId],
      )
      assert.deepEqual(left, [{ state: word, open: false }])
    })
  }
})
