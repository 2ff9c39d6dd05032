import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Following, NewAttempt } from '#engine/payments/attempt.ts'
import { insertAttempts } from '#engine/payments/new-attempt.store.ts'
import type { Followers } from '#engine/payments/follower.ts'
import { recordAttempts, type Verdict } from '#engine/payments/record-attempts.operation.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { addLimitStatement, limitFollower } from '../../../test/crash/limit-follower.ts'
import { newAttempt, type SaleWish } from '../../../test/crash/attempt-builder.ts'
import { engineOn, openStage, type Stage, useLane } from '../../../test/crash/lane.ts'

const on = (follower: string, subject: bigint): Following => ({ follower, subject, detail: null })

const attemptOn = (stage: Stage, ref: string, wish: Partial<SaleWish> = {}): NewAttempt =>
  newAttempt({ account: stage.account, ref: `${ref}-${stage.account}`, at: stage.time.now(), ...wish })

async function usedOf({ client }: Stage, limit: bigint): Promise<bigint> {
  const { rows } = await client.query<{ used: string }>('select used from test_limit where limit_id = $1', [
    limit,
  ])
  return BigInt(rows[0]?.used ?? -1)
}

const kindsOf = (verdicts: readonly Verdict[]) => verdicts.map(({ kind }) => kind)

describe('T1, the recording of attempts', () => {
  const lane = useLane()
  let drawn = 0n

  async function stageFor(name: string): Promise<Stage> {
    return openStage(lane(), name)
  }

  // The second one stands behind the first in the order of locks and has rows of its own.
  const followers: Followers = [limitFollower, { ...limitFollower, name: 'second' }]

  async function limitOf(stage: Stage, lifetime: bigint): Promise<bigint> {
    drawn += 1n
    const limit = stage.account * 1_000n + drawn
    await stage.database.db.run(addLimitStatement, [limit, lifetime])
    return limit
  }

  function record(stage: Stage, news: readonly NewAttempt[]): Promise<readonly Verdict[]> {
    const at = stage.time.now()
    const leaseUntil = at.add({ seconds: 45 })
    return stage.database.db.inTransaction((tx) =>
      recordAttempts(tx, { followers, at, leaseUntil, assumesNewKeys: false }, news),
    )
  }

  test('a refusal in the middle of a batch is its own outcome and its neighbours go on', async () => {
    const stage = await stageFor('middle')
    const [wide, narrow, other] = await Promise.all(
      [2_000n, 1_029n, 1_030n].map((one) => limitOf(stage, one)),
    )
    assert(wide && narrow && other)
    const verdicts = await record(stage, [
      attemptOn(stage, 'a', { following: [on('limit', wide)] }),
      attemptOn(stage, 'b', { following: [on('limit', narrow)], key: 'b' }),
      attemptOn(stage, 'c', { following: [on('limit', other)] }),
    ])
    assert.deepEqual(kindsOf(verdicts), ['sending', 'refused', 'sending'])
    assert.equal(verdicts[1]?.kind === 'refused' && verdicts[1].refusal.kind, 'over_limit')
    const used = await Promise.all([wide, narrow, other].map((one) => usedOf(stage, one)))
    assert.deepEqual(used, [1_030n, 0n, 1_030n])
    const { rows } = await stage.client.query<{ state: string }>(
      'select state from attempt where account_id = $1 order by acquirer_ref',
      [stage.account],
    )
    assert.deepEqual(
      rows.map(({ state }) => state),
      ['sending', 'refused', 'sending'],
    )
  })

  test('a follower that had said yes hears that another said no', async () => {
    const stage = await stageFor('yes and no')
    const [wide, narrow] = await Promise.all([2_000n, 1n].map((one) => limitOf(stage, one)))
    assert(wide && narrow)
    const following = [on('limit', wide), on('second', narrow)]
    const [verdict] = await record(stage, [attemptOn(stage, 'a', { following })])
    assert.equal(verdict?.kind, 'refused')
    assert.deepEqual([await usedOf(stage, wide), await usedOf(stage, narrow)], [0n, 0n])
  })

  test('a refusal does not use the key up', async () => {
    const stage = await stageFor('key')
    const narrow = await limitOf(stage, 1n)
    await record(stage, [attemptOn(stage, 'a', { key: 'k', following: [on('limit', narrow)] })])
    assert.deepEqual(kindsOf(await record(stage, [attemptOn(stage, 'b', { key: 'k' })])), ['sending'])
  })

  test('the second attempt under a key is a duplicate, and leaves no row', async () => {
    const stage = await stageFor('duplicate')
    assert.deepEqual(kindsOf(await record(stage, [attemptOn(stage, 'a', { key: 'k' })])), ['sending'])
    const limit = await limitOf(stage, 2_000n)
    const again = attemptOn(stage, 'b', { key: 'k', following: [on('limit', limit)] })
    assert.deepEqual(kindsOf(await record(stage, [again, attemptOn(stage, 'c')])), ['duplicate', 'sending'])
    assert.equal(await usedOf(stage, limit), 0n)
  })

  test('a key whose attempt was never sent can be used again', async () => {
    const stage = await stageFor('not sent')
    await record(stage, [attemptOn(stage, 'a', { key: 'k' })])
    await stage.client.query(`update attempt set state = 'not_sent' where account_id = $1`, [stage.account])
    assert.deepEqual(kindsOf(await record(stage, [attemptOn(stage, 'b', { key: 'k' })])), ['sending'])
    assert.deepEqual(kindsOf(await record(stage, [attemptOn(stage, 'c', { key: 'k' })])), ['duplicate'])
  })

  test('one key fifty times at once: one is sent, and strangers are not disturbed', async () => {
    const stage = await stageFor('fifty')
    const engines = [engineOn(stage), engineOn(stage)] as const
    const verdicts = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        engines[at % 2 === 0 ? 0 : 1].needs.attempts.add(attemptOn(stage, `s${at}`, { key: 'k' })),
      ),
    )
    const others = await Promise.all(
      Array.from({ length: 10 }, (_, at) => engines[0].needs.attempts.add(attemptOn(stage, `o${at}`))),
    )
    assert.equal(verdicts.filter((verdict) => verdict.kind === 'sending').length, 1)
    assert.equal(verdicts.filter((verdict) => verdict.kind === 'duplicate').length, 49)
    assert.ok(others.every((verdict) => verdict.kind === 'sending'))
  })

  test('a used key and a refusal in one batch are their own outcomes, and the others go on', async () => {
    const stage = await stageFor('one batch')
    const { needs } = engineOn(stage)
    await needs.attempts.add(attemptOn(stage, 'a', { key: 'used' }))
    const following = [on('limit', await limitOf(stage, 1n))]
    // Of one turn, so of one batch.
    const news = [
      attemptOn(stage, 'b'),
      attemptOn(stage, 'c', { key: 'new' }),
      attemptOn(stage, 'd', { key: 'used' }),
      attemptOn(stage, 'e'),
      attemptOn(stage, 'f', { key: 'kept', following }),
    ]
    const verdicts = await Promise.all(news.map((one) => needs.attempts.add(one)))
    assert.deepEqual(kindsOf(verdicts), ['sending', 'sending', 'duplicate', 'sending', 'refused'])
    const { rows } = await stage.client.query<{ ref: string }>(
      `select split_part(acquirer_ref, '-', 1) as ref from attempt where account_id = $1 order by 1`,
      [stage.account],
    )
    assert.deepEqual(
      rows.map(({ ref }) => ref),
      ['a', 'b', 'c', 'e', 'f'],
    )
    assert.equal((await needs.attempts.add(attemptOn(stage, 'g', { key: 'kept' }))).kind, 'sending')
  })

  test('each attempt has the number of its own row, in whatever order rows come back', async () => {
    const stage = await stageFor('order')
    const news = ['a', 'b', 'c'].map((ref) => attemptOn(stage, ref))
    const recorded = await stage.database.db.inTransaction((tx) => {
      const reversing: Tx = { ...tx, run: async (...asked) => (await tx.run(...asked)).toReversed() }
      return insertAttempts(reversing, news, stage.time.now())
    })
    const { rows } = await stage.client.query<{ id: string; ref: string }>(
      'select attempt_id::text as id, acquirer_ref as ref from attempt where account_id = $1 order by ref',
      [stage.account],
    )
    assert.deepEqual(
      recorded.map(({ attemptId, ref }) => ({ id: String(attemptId), ref: String(ref) })),
      rows,
    )
  })

  test('a poisoned row fails alone', async () => {
    const stage = await stageFor('poison')
    const { needs } = engineOn(stage)
    await needs.attempts.add(attemptOn(stage, 'taken'))
    const refs = ['x', 'y', 'taken', 'z']
    const results = await Promise.allSettled(refs.map((ref) => needs.attempts.add(attemptOn(stage, ref))))
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    )
  })
})
