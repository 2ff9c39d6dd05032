import type { EventAsKept } from '#capabilities/webhooks/event-message.ts'
import { isEventType } from '#engine/events/event-registry.ts'
import { assert } from '#kernel/assert.ts'
import { type AccountId, accountId } from '#kernel/ids.ts'
import { arrayOf, int4, int8, jsonb, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const eventColumns = {
  event_id: int8,
  account_id: int8,
  type: text,
  object_id: int8,
  body: nullable(jsonb),
  created_at: timestamptz,
}

const listEventsOfAccountsStatement = statement(
  'list_events_of_accounts',
  [arrayOf(int8), int8, int8],
  eventColumns,
  `select e.event_id, e.account_id, e.type, e.object_id, e.body, e.created_at
   from unnest($1::int8[]) as wanted (account_id)
     join event e on e.account_id = wanted.account_id and e.event_id > $2 and e.event_id <= $3
   order by e.event_id`,
)

export type IdRange = { readonly after: bigint; readonly upTo: bigint }

// What was read, of which those are left to a newer version that this one does not know.
export type Reading = {
  readonly events: readonly EventAsKept[]
  readonly count: number
  readonly lastId: bigint | null
}

function readingOf(rows: readonly RowOf<typeof eventColumns>[]): Reading {
  return { events: rows.flatMap(eventFromRow), count: rows.length, lastId: rows.at(-1)?.event_id ?? null }
}

export async function listEventsOfAccounts(
  db: Queryable,
  accounts: readonly AccountId[],
  { after, upTo }: IdRange,
): Promise<readonly EventAsKept[]> {
  return (await db.run(listEventsOfAccountsStatement, [accounts, after, upTo])).flatMap(eventFromRow)
}

const listEventsStatement = statement(
  'list_events_of_account',
  [int8, int8, int8, int4],
  eventColumns,
  `select event_id, account_id, type, object_id, body, created_at from event
   where account_id = $1 and event_id > $2 and event_id <= $3 order by event_id limit $4::int4`,
)

// In the order of their ids, at most so many.
export async function listEvents(
  db: Queryable,
  account: AccountId,
  { after, upTo, most }: IdRange & { readonly most: number },
): Promise<Reading> {
  return readingOf(await db.run(listEventsStatement, [account, after, upTo, most]))
}

function eventFromRow(row: RowOf<typeof eventColumns>): readonly EventAsKept[] {
  const { type } = row
  if (!isEventType(type)) return []
  return [
    {
      eventId: row.event_id,
      accountId: accountId(row.account_id),
      type,
      objectId: row.object_id,
      body: row.body === null ? null : (Object(row.body) as EventAsKept['body']),
      createdAt: row.created_at,
    },
  ]
}

const lockCursorStatement = statement(
  'lock_event_cursor',
  [],
  { event_id: int8 },
  `select event_id from event_cursor for update`,
)

export async function lockCursor(tx: Tx): Promise<bigint> {
  const [row] = await tx.run(lockCursorStatement, [])
  assert(row, 'there is one cursor')
  return row.event_id
}

const moveCursorStatement = statement(
  'move_event_cursor',
  [int8],
  {},
  `update event_cursor set event_id = $1 where event_id < $1`,
)

export async function moveCursor(tx: Tx, upTo: bigint): Promise<void> {
  await tx.run(moveCursorStatement, [upTo])
}
