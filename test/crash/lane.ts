import { after, before } from 'node:test'
import pg from 'pg'
import { instalmentFollower } from '#capabilities/recurring/instalment.follower.ts'
import { accountDefaults } from '#engine/merchants/account.ts'
import { createAccount } from '#engine/merchants/create-account.operation.ts'
import { orderFollower } from '#engine/orders/order.follower.ts'
import { parentFollower } from '#engine/payments/parent.follower.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import type { Followers } from '#engine/payments/follower.ts'
import { assert } from '#kernel/assert.ts'
import type { AccountId } from '#kernel/ids.ts'
import { randomDigits } from '#platform/crypto/random.ts'
import { Bank } from '../../simulator/bank.ts'
import { openMemoryLog } from '../../simulator/memory-log.ts'
import { VirtualTime } from '../../simulator/virtual-time.ts'
import { type TestDatabase, useTestDatabase } from '../support/test-database.ts'
import { addLimitStatement, createLimitTable, limitFollower } from './limit-follower.ts'
import { MortalEngine, type MortalOptions, type Seen } from './mortal-engine.ts'

// One database with one clock, on which cases run one after the other.
export type Lane = {
  readonly database: TestDatabase
  readonly client: pg.Client
  readonly time: VirtualTime
  readonly seen: Seen
}

// What one case has to itself.
export type Stage = Lane & { readonly account: AccountId; readonly bank: Bank; readonly limit: bigint }

// The order of locks, as in the gateway: what is spent before what is undone.
export const testFollowers: Followers = [limitFollower, instalmentFollower, orderFollower, parentFollower]

export async function openLane(database: TestDatabase, seen: Seen): Promise<Lane> {
  await createLimitTable(database.connection)
  const client = new pg.Client(database.connection)
  await client.connect()
  return { database, client, time: new VirtualTime(), seen }
}

// A lane for all tests of a suite.
export function useLane(): () => Lane {
  const database = useTestDatabase()
  let lane: Lane | null = null
  before(async () => {
    lane = await openLane(database(), { points: new Set(), edges: new Set() })
  })
  after(() => lane?.client.end())
  return () => {
    assert(lane, 'a lane is there while tests run')
    return lane
  }
}

export async function openStage(lane: Lane, seed: string, lifetime = 100_000_000n): Promise<Stage> {
  lane.time.advance(1_000)
  const { db } = lane.database
  const accountCode = `TG${randomDigits(7)}`
  const made = await createAccount({ db, clock: lane.time }, { accountCode, settings: accountDefaults })
  if (!made.ok) return openStage(lane, seed, lifetime)
  const { accountId: account } = made.value
  await db.run(addLimitStatement, [account, lifetime])
  await addRecord(lane, account)
  const bank = new Bank({ log: openMemoryLog(), clock: lane.time, scheduler: lane.time, seed })
  return { ...lane, account, bank, limit: account }
}

// The merchant record that charges, whose charges are orders.
async function addRecord({ client, time }: Lane, account: AccountId): Promise<void> {
  await client.query(
    `insert into merchant (account_id, merchant_number, name, location, address, terminal_id, time_zone,
       currency, is_international, created_at, changed_at)
     values ($1, 1, 'Corner Books', '', '', 'T1', 'America/New_York', 'USD', true, $2, $2)`,
    [String(account), time.now().toString()],
  )
}

type Habits = Omit<MortalOptions, 'db' | 'batchDb' | 'time' | 'bank' | 'followers' | 'seen'>

export function engineOn(stage: Stage, habits: Habits = {}): MortalEngine {
  const { time, bank, seen, database } = stage
  const { db, batchDb } = database
  return new MortalEngine({ db, batchDb, time, bank, followers: testFollowers, seen, ...habits })
}

const roundsMax = 20
const shortRounds = 10

// Recovers until nothing is under way any more, in steps of a good minute and then of an hour.
export async function recoverUntilQuiet(stage: Stage, recoverers: readonly MortalEngine[]): Promise<void> {
  for (let round = 0; round < roundsMax; round += 1) {
    await Promise.all(recoverers.map(({ needs }) => recoverAttempts(needs)))
    if (await isQuiet(stage)) return
    stage.time.advance(round < shortRounds ? 61_000 : 3_601_000)
  }
}

export async function isQuiet({ client }: Lane): Promise<boolean> {
  const { rows } = await client.query<{ open: boolean }>(
    `select exists (select 1 from unresolved_attempt) or exists (
       select 1 from attempt a, recovery_watermark w
       where a.state = 'sending' and a.attempt_id > w.attempt_id
     ) as open`,
  )
  const [row] = rows
  assert(row, 'the question has an answer')
  return !row.open
}
