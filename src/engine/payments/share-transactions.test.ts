import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Attempt, Following, NewAttempt } from '#engine/payments/attempt.ts'
import type { Follower } from '#engine/payments/follower.ts'
import { Crash, type CrashPoint } from '#engine/payments/payment-needs.ts'
import { knownAnswer } from '#engine/payments/record-at-once.operation.ts'
import { answerRecorder, attemptRecorder } from '#engine/payments/share-transactions.operation.ts'
import type { Database, Tx } from '#platform/postgres/database.ts'
import { amounts, newAttempt, newVoid, type SaleWish } from '../../../test/crash/attempt-builder.ts'
import { engineOn, openStage, type Stage, useLane } from '../../../test/crash/lane.ts'
import { limitFollower } from '../../../test/crash/limit-follower.ts'

const on = (follower: string, subject: bigint): Following => ({ follower, subject, detail: null })

const attemptOn = ({ account, time }: Stage, ref: string, wish: Partial<SaleWish>): NewAttempt =>
  newAttempt({ account, ref: `${ref}-${account}`, at: time.now(), ...wish })

const send = (stage: Stage, ref: string) => attemptOn(stage, ref, { following: [], key: 'order-1' })

// A database that remembers how its transactions were said.
function listening({ batchDb }: Stage['database']): { readonly db: Database; readonly said: string[] } {
  const said: string[] = []
  const inTransaction: Database['inTransaction'] = (work, saying) => {
    said.push(saying?.inOneGo ? 'in one go' : 'step by step')
    return batchDb.inTransaction(work, saying)
  }
  return { db: { ...batchDb, inTransaction }, said }
}

// In how many transactions they are recorded. Whoever else follows them is not there: what they share shows
// all the same.
async function transactionsFor(
  stage: Stage,
  attempts: readonly NewAttempt[],
  followers: readonly Follower[] = [],
): Promise<number> {
  const { db, said } = listening(stage.database)
  const recorder = attemptRecorder({ ...engineOn(stage).needs, db, followers })
  await Promise.all(attempts.map((attempt) => recorder.add(attempt)))
  return said.length
}

const approvalOf = ({ amounts: { total } }: Attempt) =>
  ({ on: 'answer', answer: knownAnswer(total, 'A1') }) as const

const takingSeveral: Follower = {
  name: 'several',
  begin: async () => new Map(),
  beginAll: async () => undefined,
  follow: async () => undefined,
  takesSeveral: true,
}

const sharing = [
  [
    'one where all who follow them take several of a subject',
    { following: () => [on('several', 7n)], transactions: 1 },
  ],
  [
    'none where one of those does not, whatever its own subjects are',
    { following: (at: number) => [on('several', 7n), on('one', BigInt(at))], transactions: 3 },
  ],
] as const

const nameOf = (error: unknown) => (error instanceof Error ? error.name : '')

const times = (count: number, what: string): readonly string[] => Array<string>(count).fill(what)

function dieBeforeT1(point: CrashPoint): void {
  if (point === 'before_t1_commit') throw new Crash(point)
}

describe('attempts that come at the same time', () => {
  const lane = useLane()

  async function stages(name: string): Promise<readonly [Stage, Stage]> {
    return [await openStage(lane(), name), await openStage(lane(), `another ${name}`)]
  }

  test('share a transaction although their consents and instalments have the same numbers', async () => {
    const [stage] = await stages('numbers')
    const attempts = [1n, 2n, 3n, 4n].map((id) =>
      attemptOn(stage, `i${id}`, { following: [on('consent', id + 1n), on('instalment', id)] }),
    )
    assert.equal(await transactionsFor(stage, attempts), 1)
  })

  test('share none where they share a subject', async () => {
    const [stage] = await stages('subject')
    const attempts = ['a', 'b', 'c'].map((ref) => attemptOn(stage, ref, { following: [on('consent', 7n)] }))
    assert.equal(await transactionsFor(stage, attempts), 3)
  })

  for (const [what, { following, transactions }] of sharing) {
    test(`share ${what}`, async () => {
      const [stage] = await stages(what)
      const attempts = ['a', 'b', 'c'].map((ref, at) => attemptOn(stage, ref, { following: following(at) }))
      assert.equal(await transactionsFor(stage, attempts, [takingSeveral]), transactions)
    })
  }

  test('share none where an account sends the same key, and one where two accounts do', async () => {
    const [mine, theirs] = await stages('key')
    assert.equal(await transactionsFor(mine, [send(mine, 'a'), send(theirs, 'b')]), 1)
    const again = [send(mine, 'c'), send(mine, 'd')]
    // The first is refused as taken, and is looked at once more with keys that need not be new.
    assert.equal(await transactionsFor(mine, again), 4)
  })

  test('are recorded in one go while nobody is refused, then step by step for a while', async () => {
    const [stage] = await stages('refusal')
    const { db, said } = listening(stage.database)
    const recorder = attemptRecorder({ ...engineOn(stage).needs, db })
    let refs = 0
    const charge = (minor = 1_000n) => {
      refs += 1
      const wish = { following: [on('limit', stage.limit)], amounts: amounts(minor) }
      return recorder.add(attemptOn(stage, `r${refs}`, wish))
    }
    assert.equal((await charge()).kind, 'sending')
    assert.equal((await charge(200_000_000n)).kind, 'refused')
    assert.deepEqual(said.splice(0), ['in one go', 'in one go', 'step by step'])
    for (let batch = 0; batch < 40; batch += 1) await charge()
    assert.equal((await charge(200_000_000n)).kind, 'refused')
    for (let batch = 0; batch < 64; batch += 1) await charge()
    assert.deepEqual(said.splice(0), times(105, 'step by step'))
    assert.equal((await charge()).kind, 'sending')
    assert.deepEqual(said, ['in one go'])
  })

  test('are recorded step by step where one who follows them must hear an answer first', async () => {
    const [stage] = await stages('hesitant')
    const { db, said } = listening(stage.database)
    const { needs } = engineOn(stage)
    const sale = await attemptRecorder({ ...needs, db }).add(attemptOn(stage, 'sale', { following: [] }))
    assert(sale.kind === 'sending')
    const undo = newVoid(sale.attempt, {
      ref: `undo-${stage.account}`,
      at: stage.time.now(),
      following: [on('parent', sale.attempt.attemptId)],
    })
    const recorder = attemptRecorder({ ...needs, db })
    const another = attemptOn(stage, 'another', { following: [], key: 'another' })
    const both = await Promise.all([another, undo].map((attempt) => recorder.add(attempt)))
    assert.deepEqual(
      both.map(({ kind }) => kind),
      ['sending', 'refused'],
    )
    // Which is no reason to doubt those that nobody follows.
    await recorder.add(attemptOn(stage, 'next', { following: [] }))
    assert.deepEqual(said, ['in one go', 'step by step', 'in one go'])
  })

  test('leave nothing behind where the process dies before they are said', async () => {
    const [stage] = await stages('dead')
    const { db, said } = listening(stage.database)
    const recorder = attemptRecorder({ ...engineOn(stage).needs, db, crashpoint: dieBeforeT1 })
    const dead = recorder.add(attemptOn(stage, 'a', { following: [on('limit', stage.limit)] }))
    await assert.rejects(dead, Crash)
    assert.deepEqual(said, ['in one go'])
    assert.deepEqual(await standingOf(stage), [])
  })
})

async function sentOn(stage: Stage, wishes: readonly Partial<SaleWish>[]): Promise<readonly Attempt[]> {
  const { needs } = engineOn(stage)
  const sent = await Promise.all(
    wishes.map((wish, at) => needs.attempts.add(attemptOn(stage, `s${at}`, wish))),
  )
  return sent.map((verdict) => (verdict.kind === 'sending' ? verdict.attempt : assert.fail()))
}

async function answerAll(needs: Parameters<typeof answerRecorder>[0], attempts: readonly Attempt[]) {
  const recorder = answerRecorder(needs)
  const told = await Promise.allSettled(
    attempts.map((attempt) => recorder.add({ attempt, input: approvalOf(attempt) })),
  )
  return told.map((one) => (one.status === 'fulfilled' ? one.value?.to : nameOf(one.reason)))
}

async function standingOf({ client, account }: Stage): Promise<readonly string[]> {
  const { rows } = await client.query<{ standing: string }>(
    `select a.state || ' ' || (select count(*) from posting p where p.attempt_id = a.attempt_id) as standing
     from attempt a where account_id = $1 order by attempt_id`,
    [account],
  )
  return rows.map(({ standing }) => standing)
}

describe('answers that come at the same time', () => {
  const lane = useLane()

  test('are recorded in one go, and one that somebody else has resolved fails alone', async () => {
    const stage = await openStage(lane(), 'answers')
    const { needs } = engineOn(stage)
    const { db, said } = listening(stage.database)
    const attempts = await sentOn(stage, [{ key: 'a' }, { key: 'b' }, { key: 'c' }])
    const [, lost] = attempts
    assert(lost)
    await needs.answers.add({ attempt: lost, input: approvalOf(lost) })
    assert.deepEqual(await answerAll({ ...needs, db }, attempts), ['approved', 'FenceLost', 'approved'])
    assert.deepEqual(said, times(4, 'in one go'))
    assert.deepEqual(await standingOf(stage), times(3, 'approved 2'))
  })

  for (const [what, { following, transactions }] of sharing) {
    test(`share ${what}`, async () => {
      const stage = await openStage(lane(), `answers ${what}`)
      const { db, said } = listening(stage.database)
      const wishes = ['a', 'b', 'c'].map((key, at) => ({ key, following: following(at) }))
      const attempts = await sentOn(stage, wishes)
      const needs = { ...engineOn(stage).needs, db, followers: [takingSeveral] }
      assert.deepEqual(await answerAll(needs, attempts), times(3, 'approved'))
      assert.equal(said.length, transactions)
    })
  }

  test('are recorded step by step where one is for a caller who could not find it again', async () => {
    const stage = await openStage(lane(), 'no key')
    const { db, said } = listening(stage.database)
    const attempts = await sentOn(stage, [{ key: 'a' }, {}])
    assert.deepEqual(await answerAll({ ...engineOn(stage).needs, db }, attempts), times(2, 'approved'))
    assert.deepEqual(said, ['step by step'])
  })

  test('are recorded step by step where one who follows one of them must hear an answer first', async () => {
    const stage = await openStage(lane(), 'hesitant')
    const { db, said } = listening(stage.database)
    const needs = { ...engineOn(stage).needs, db }
    const [paid, sale] = await sentOn(stage, [{ key: 'a' }, { key: 'b' }])
    assert(paid && sale)
    await engineOn(stage).needs.answers.add({ attempt: paid, input: approvalOf(paid) })
    const undo = await needs.attempts.add(
      newVoid(paid, {
        ref: `undo-${stage.account}`,
        at: stage.time.now(),
        key: 'c',
        following: [on('parent', paid.attemptId)],
      }),
    )
    assert(undo.kind === 'sending')
    assert.deepEqual(await answerAll(needs, [sale, undo.attempt]), times(2, 'approved'))
    assert.deepEqual(said, ['step by step'])
  })

  test('leave nothing behind where one who follows them fails by itself', async () => {
    const stage = await openStage(lane(), 'faulty')
    const { db } = listening(stage.database)
    const faulty = { ...limitFollower, follow: () => Promise.reject(new RangeError('a fault of its own')) }
    const following = [on('limit', stage.limit)]
    const attempts = await sentOn(stage, [{ key: 'a', following }, { key: 'b' }])
    const needs = { ...engineOn(stage).needs, db, followers: [faulty] }
    assert.deepEqual(await answerAll(needs, attempts), ['RangeError', 'approved'])
    assert.deepEqual(await standingOf(stage), ['sending 0', 'approved 2'])
  })

  test('hear that somebody else has resolved their attempt, whatever else would fail', async () => {
    const stage = await openStage(lane(), 'late')
    const { db } = listening(stage.database)
    const failing = { name: 'test_divides', params: [], columns: {}, text: 'select 1 / 0' } as const
    const failingFollower = { ...limitFollower, follow: (tx: Tx) => tx.run(failing, []) }
    const following = [on('limit', stage.limit)]
    const attempts = await sentOn(stage, [{ key: 'a', following }])
    const { needs } = engineOn(stage)
    for (const attempt of attempts) await needs.answers.add({ attempt, input: approvalOf(attempt) })
    const late = await answerAll({ ...needs, db, followers: [failingFollower] }, attempts)
    assert.deepEqual(late, ['FenceLost'])
  })
})
