import type { Channel } from '#capabilities/messages/message.ts'
import { assert } from '#kernel/assert.ts'
import { int4, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

export type Lane = {
  readonly channel: Channel
  // Outages in a row.
  readonly failures: number
  readonly failingSince: Temporal.Instant | null
  readonly pausedUntil: Temporal.Instant | null
  readonly problem: string
}

const laneColumns = {
  channel: text,
  failures: int4,
  failing_since: nullable(timestamptz),
  paused_until: nullable(timestamptz),
  problem: text,
}

const lockLaneStatement = statement(
  'lock_message_lane',
  [text],
  { failures: int4 },
  `select failures from message_lane where channel = $1 for no key update`,
)

// Answers how many outages there were in a row. Reports and receipts of a channel wait for each other here,
// so that neither misses the other.
export async function lockLane(tx: Tx, channel: Channel): Promise<number> {
  const [row] = await tx.run(lockLaneStatement, [channel])
  assert(row, 'every channel has a lane')
  return row.failures
}

const restLaneStatement = statement(
  'rest_message_lane',
  [text, timestamptz, timestamptz, text],
  {},
  `update message_lane
   set failures = failures + 1, failing_since = coalesce(failing_since, $2), paused_until = $3, problem = $4
   where channel = $1`,
)

type Rest = { readonly at: Temporal.Instant; readonly until: Temporal.Instant; readonly because: string }

export async function restLane(tx: Tx, channel: Channel, { at, until, because }: Rest): Promise<void> {
  await tx.run(restLaneStatement, [channel, at, until, because])
}

const healLaneStatement = statement(
  'heal_message_lane',
  [text],
  {},
  `update message_lane set failures = 0, failing_since = null, paused_until = null, problem = ''
   where channel = $1 and failures > 0`,
)

export async function healLane(tx: Tx, channel: Channel): Promise<void> {
  await tx.run(healLaneStatement, [channel])
}

const listLanesStatement = statement(
  'list_message_lanes',
  [],
  laneColumns,
  `select channel, failures, failing_since, paused_until, problem from message_lane order by channel`,
)

export async function listLanes(db: Queryable): Promise<readonly Lane[]> {
  const rows = await db.run(listLanesStatement, [])
  return rows.map((row) => ({
    channel: row.channel as Channel,
    failures: row.failures,
    failingSince: row.failing_since,
    pausedUntil: row.paused_until,
    problem: row.problem,
  }))
}
