import { bool, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const readServerStateStatement = statement(
  'read_server_state',
  [],
  { is_read_only: bool, server_time: timestamptz },
  `select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as is_read_only,
     clock_timestamp() as server_time`,
)

export async function readServerState(
  db: Queryable,
): Promise<{ readonly isReadOnly: boolean; readonly serverTime: Temporal.Instant } | null> {
  const [row] = await db.run(readServerStateStatement, [])
  return row ? { isReadOnly: row.is_read_only, serverTime: row.server_time } : null
}
