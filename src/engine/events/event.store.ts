import type { NewEvent } from '#engine/events/event.ts'
import { assert } from '#kernel/assert.ts'
import { arrayOf, bool, int8, jsonb, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import { columnsOf } from '#platform/postgres/columns.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// The condition gives the transaction its number before an id is drawn; settledUpTo counts on it.
const insertEventsStatement = statement(
  'insert_events',
  [arrayOf(int8), arrayOf(text), arrayOf(int8), arrayOf(nullable(jsonb)), timestamptz],
  {},
  `insert into event (account_id, type, object_id, body, created_at)
   select unnest($1::int8[]), unnest($2::text[]), unnest($3::int8[]), unnest($4::jsonb[]), $5
   where pg_current_xact_id() is not null`,
)

const columnsOfNew = columnsOf<NewEvent>()(
  (one) => one.accountId,
  ({ type }) => type,
  ({ objectId }) => objectId,
  ({ body }) => body,
)

export async function insertEvents(tx: Tx, events: readonly NewEvent[], at: Temporal.Instant): Promise<void> {
  await tx.run(insertEventsStatement, [...columnsOfNew(events), at])
}

const readLastDrawnStatement = statement(
  'read_last_drawn_event',
  [],
  { last_drawn: int8 },
  `select case when is_called then last_value else 0 end as last_drawn from event_event_id_seq`,
)

// The newest id that any transaction has drawn, committed or not.
export async function readLastDrawn(db: Queryable): Promise<bigint> {
  const [row] = await db.run(readLastDrawnStatement, [])
  assert(row, 'a sequence has one row')
  return row.last_drawn
}

const drawTransactionNumberStatement = statement(
  'draw_transaction_number',
  [],
  { number: int8 },
  `select pg_current_xact_id()::text::int8 as number`,
)

// A number of its own, above those of all transactions that have one by now. The highest number that a
// snapshot tells would not do: it leaves out those that were begun since the last one ended.
export async function drawTransactionNumber(db: Queryable): Promise<bigint> {
  const [row] = await db.run(drawTransactionNumberStatement, [])
  assert(row, 'a transaction has one number')
  return row.number
}

const readOldestUnderWayStatement = statement(
  'read_oldest_transaction_under_way',
  [],
  { oldest: int8 },
  `select pg_snapshot_xmin(pg_current_snapshot())::text::int8 as oldest`,
)

// All transactions with lower numbers have ended, those of other databases on the server included.
export async function readOldestUnderWay(db: Queryable): Promise<bigint> {
  const [row] = await db.run(readOldestUnderWayStatement, [])
  assert(row, 'a snapshot is one row')
  return row.oldest
}

// Whoever writes an event locks the table before it draws an id, and a number is a lock as well. Both go
// only once what was written can be read.
const readWritersUnderWayStatement = statement(
  'read_event_writers_under_way',
  [int8],
  { are_under_way: bool },
  `select exists (
     select from pg_locks
     group by virtualtransaction
     having bool_or(locktype = 'relation' and relation = 'event'::regclass and mode = 'RowExclusiveLock'
         and database = (select oid from pg_database where datname = current_database()))
       and bool_or(locktype = 'transactionid' and mode = 'ExclusiveLock'
         and age(transactionid) > age($1::int8::text::xid8::xid))
   ) as are_under_way`,
)

// Whether transactions with lower numbers still write events, whatever else goes on beside them.
export async function areWritersUnderWay(db: Queryable, number: bigint): Promise<boolean> {
  const [row] = await db.run(readWritersUnderWayStatement, [number])
  assert(row, 'a question has one answer')
  return row.are_under_way
}
