import type { ClockOffsets } from '#engine/account-clock/account-clock.ts'
import { accountId, type AccountId } from '#kernel/ids.ts'
import { int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const loadOffsetsStatement = statement(
  'load_clock_offsets',
  [],
  { account_id: int8, ahead_ms: int8 },
  `select account_id, ahead_ms from account_clock where ahead_ms > 0`,
)

const readClockStatement = statement(
  'read_account_clock',
  [int8],
  { moving_to: nullable(timestamptz), lease_until: nullable(timestamptz) },
  `select moving_to, lease_until from account_clock where account_id = $1`,
)

const takeTurnStatement = statement(
  'take_account_turn',
  [int8, timestamptz, timestamptz],
  { fence: int4, moving_to: nullable(timestamptz) },
  `insert into account_clock as c (account_id, fence, lease_until) values ($1, 1, $3)
   on conflict (account_id) do update set fence = c.fence + 1, lease_until = $3
     where c.lease_until is null or c.lease_until <= $2
   returning fence, moving_to`,
)

const renewTurnStatement = statement(
  'renew_account_turn',
  [int8, int4, timestamptz],
  { fence: int4 },
  `update account_clock set lease_until = $3 where account_id = $1 and fence = $2 returning fence`,
)

const endTurnStatement = statement(
  'end_account_turn',
  [int8, int4],
  {},
  `update account_clock set lease_until = null where account_id = $1 and fence = $2`,
)

// Forwards only. Every process hears that a clock has moved.
const setClockStatement = statement(
  'set_account_clock',
  [int8, int4, int8, nullable(timestamptz)],
  { told: text },
  `with moved as (
     update account_clock set ahead_ms = greatest(ahead_ms, $3), moving_to = $4
     where account_id = $1 and fence = $2
     returning account_id)
   select pg_notify('tillgate_clocks', account_id::text)::text as told from moved`,
)

const listUnfinishedMovesStatement = statement(
  'list_unfinished_clock_moves',
  [timestamptz],
  { account_id: int8 },
  `select account_id from account_clock
   where moving_to is not null and (lease_until is null or lease_until <= $1)
   order by account_id`,
)

export async function loadOffsets(db: Queryable): Promise<ClockOffsets> {
  const rows = await db.run(loadOffsetsStatement, [])
  return new Map(rows.map((row) => [accountId(row.account_id), Number(row.ahead_ms)]))
}

export type ClockRow = {
  readonly movingTo: Temporal.Instant | null
  readonly leaseUntil: Temporal.Instant | null
}

export async function readClock(db: Queryable, account: AccountId): Promise<ClockRow> {
  const [row] = await db.run(readClockStatement, [account])
  return { movingTo: row?.moving_to ?? null, leaseUntil: row?.lease_until ?? null }
}

export type TurnKey = { readonly accountId: AccountId; readonly fence: number }

// Answers null while somebody else has the turn.
export async function takeTurn(
  db: Queryable,
  { account, now, leaseUntil }: { account: AccountId; now: Temporal.Instant; leaseUntil: Temporal.Instant },
): Promise<(TurnKey & { readonly movingTo: Temporal.Instant | null }) | null> {
  const [row] = await db.run(takeTurnStatement, [account, now, leaseUntil])
  return row ? { accountId: account, fence: row.fence, movingTo: row.moving_to } : null
}

// Answers false when the turn was lost.
export async function renewTurn(
  db: Queryable,
  { accountId: account, fence }: TurnKey,
  leaseUntil: Temporal.Instant,
): Promise<boolean> {
  return (await db.run(renewTurnStatement, [account, fence, leaseUntil])).length > 0
}

export async function endTurn(db: Queryable, { accountId: account, fence }: TurnKey): Promise<void> {
  await db.run(endTurnStatement, [account, fence])
}

// Answers false when the turn was lost.
export async function setClock(
  db: Queryable,
  { accountId: account, fence }: TurnKey,
  { aheadMs, movingTo }: { aheadMs: number; movingTo: Temporal.Instant | null },
): Promise<boolean> {
  return (await db.run(setClockStatement, [account, fence, BigInt(aheadMs), movingTo])).length > 0
}

export async function listUnfinishedMoves(
  db: Queryable,
  now: Temporal.Instant,
): Promise<readonly AccountId[]> {
  return (await db.run(listUnfinishedMovesStatement, [now])).map((row) => accountId(row.account_id))
}
