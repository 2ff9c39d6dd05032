import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Following, NewAttempt } from '#engine/payments/attempt.ts'
import { attemptRecorder } from '#engine/payments/share-transactions.operation.ts'
import type { Database } from '#platform/postgres/database.ts'
import { newAttempt, type SaleWish } from '../../../test/crash/attempt-builder.ts'
import { engineOn, type Lane, openLane, openStage, type Stage } from '../../../test/crash/lane.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

const on = (follower: string, subject: bigint): Following => ({ follower, subject, detail: null })

const attemptOn = ({ account, time }: Stage, ref: string, wish: Partial<SaleWish>): NewAttempt =>
  newAttempt({ account, ref: `${ref}-${account}`, at: time.now(), ...wish })

const send = (stage: Stage, ref: string) => attemptOn(stage, ref, { following: [], key: 'order-1' })

// In how many transactions they are recorded. Nobody follows them: what they share shows all the same.
async function transactionsFor(stage: Stage, attempts: readonly NewAttempt[]): Promise<number> {
  let transactions = 0
  const { db } = stage.database
  const counting: Database = {
    ...db,
    inTransaction: (work) => {
      transactions += 1
      return db.inTransaction(work)
    },
  }
  const recorder = attemptRecorder({ ...engineOn(stage).needs, db: counting, followers: [] })
  await Promise.all(attempts.map((attempt) => recorder.add(attempt)))
  return transactions
}

describe('attempts that come at the same time', () => {
  const database = useTestDatabase()
  let lane: Lane | null = null
  before(async () => {
    lane = await openLane(database(), { points: new Set(), edges: new Set() })
  })
  after(() => lane?.client.end())

  async function stages(name: string): Promise<readonly [Stage, Stage]> {
    assert(lane)
    return [await openStage(lane, name), await openStage(lane, `another ${name}`)]
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

  test('share none where an account sends the same key, and one where two accounts do', async () => {
    const [mine, theirs] = await stages('key')
    assert.equal(await transactionsFor(mine, [send(mine, 'a'), send(theirs, 'b')]), 1)
    const again = [send(mine, 'c'), send(mine, 'd')]
    // The first is refused as taken, and is looked at once more with keys that need not be new.
    assert.equal(await transactionsFor(mine, again), 4)
  })
})
