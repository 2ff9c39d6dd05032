import type { NewEvent } from '#engine/events/event.ts'
import { arrayOf, int8, jsonb, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const insertEventsStatement = statement(
  'insert_events',
  [arrayOf(int8), arrayOf(text), arrayOf(int8), jsonb, timestamptz],
  {},
  `insert into event (account_id, type, object_id, body, created_at)
   select i.*, $5 from rows from (
     unnest($1::int8[], $2::text[], $3::int8[]), jsonb_array_elements($4)) as i`,
)

export async function insertEvents(tx: Tx, events: readonly NewEvent[], at: Temporal.Instant): Promise<void> {
  await tx.run(insertEventsStatement, [
    events.map((one) => one.accountId),
    events.map(({ type }) => type),
    events.map(({ objectId }) => objectId),
    events.map(({ body }) => body),
    at,
  ])
}
