import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type Lane, openLane } from '../crash/lane.ts'
import { count } from '../support/counts.ts'
import { useTestDatabase } from '../support/test-database.ts'
import { playHistory } from './history.ts'

// Histories drawn from seeds. SIMULATION_SEED=<seed> plays one of them again.

const chosen = process.env['SIMULATION_SEED']
const histories =
  chosen === undefined ? count({ full: 20_000, usual: 1_000, setting: 'TEST_SIMULATIONS' }) : 1
const firstSeed = chosen === undefined ? randomInt(1, 2_000_000_000) : Number(chosen)

describe('simulated histories', () => {
  const databases = [useTestDatabase(), useTestDatabase(), useTestDatabase()]
  const seen = { points: new Set<string>(), edges: new Set<string>() }
  const lanes: Lane[] = []
  before(async () => {
    lanes.push(...(await Promise.all(databases.map((database) => openLane(database(), seen)))))
  })
  after(() => Promise.all(lanes.map(({ client }) => client.end())))

  test(`${histories} of them keep every invariant`, async (t) => {
    t.diagnostic(`seeds from ${firstSeed} on`)
    const seeds = Array.from({ length: histories }, (_, at) => firstSeed + at)
    const found = await Promise.all(
      lanes.map(async (lane, at) => {
        const broken: string[] = []
        for (const seed of seeds.filter((_, index) => index % lanes.length === at)) {
          const violations = await violationsOf(lane, seed)
          broken.push(...violations.map((violation) => `SIMULATION_SEED=${seed}: ${violation}`))
        }
        return broken
      }),
    )
    assert.deepEqual(found.flat(), [])
  })

  test('a seed plays the same history again', async () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const [first, ...others] = await Promise.all(lanes.map((lane) => playHistory(lane, seed)))
      for (const other of others) assert.deepEqual(other, first)
    }
  })

  test('what must happen now and then has happened', async () => {
    // One history alone need not have everything.
    if (histories < 200) return
    const happened = await Promise.all(lanes.map(rareThings))
    const things = ['late', 'refused', 'tombstones', 'voids', 'credits', 'reversed']
    const ofOrders = ['closed_orders', 'void_orders', 'banked_orders', 'refunds']
    const sums = [...things, ...ofOrders].map((name) =>
      happened.reduce((sum, one) => sum + Number(one[name] ?? 0), 0),
    )
    assert.ok(
      sums.every((sum) => sum > 0),
      sums.join(', '),
    )
  })
})

async function violationsOf(lane: Lane, seed: number): Promise<readonly string[]> {
  try {
    return (await playHistory(lane, seed)).violations
  } catch (error) {
    return [String(error)]
  }
}

// A fence was lost, a reservation refused, a reference closed that nobody had found, a sale undone, a credit
// found out; an order was charged already, voided, taken by the bank, credited.
async function rareThings({ client }: Lane): Promise<Readonly<Record<string, string>>> {
  const { rows } = await client.query<Record<string, string>>(
    `select (select count(*) from attempt_event where is_late) as late,
       (select count(*) from attempt where state = 'refused') as refused,
       (select count(*) from attempt_event
        where from_state = 'reversing' and to_state = 'not_sent') as tombstones,
       (select count(*) from attempt where kind = 'void' and state = 'approved') as voids,
       (select count(*) from attempt where kind = 'credit' and state = 'approved'
          and attempt_id in (select attempt_id from attempt_event where from_state = 'unknown')) as credits,
       (select count(*) from attempt where state = 'reversed') as reversed,
       (select count(*) from attempt a join card_order o on o.order_id = (a.following -> 1 ->> 1)::int8
        where a.state = 'refused' and o.challenge_id is not null) as closed_orders,
       (select count(*) from card_order where state = 'void') as void_orders,
       (select count(*) from card_order where bank_at is not null) as banked_orders,
       (select count(*) from order_record where status = 'REFUND' and bank_at is null) as refunds`,
  )
  return rows[0] ?? {}
}
