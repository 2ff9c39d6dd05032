import { bool, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const isReadOnlyStatement = statement(
  'is_server_read_only',
  [],
  { is_read_only: bool },
  `select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as is_read_only`,
)

const readTimeStatement = statement(
  'read_server_time',
  [],
  { server_time: timestamptz },
  `select clock_timestamp() as server_time`,
)

export async function isReadOnly(db: Queryable): Promise<boolean> {
  const [row] = await db.run(isReadOnlyStatement, [])
  return row?.is_read_only !== false
}

export async function readServerTime(db: Queryable): Promise<Temporal.Instant | null> {
  const [row] = await db.run(readTimeStatement, [])
  return row?.server_time ?? null
}
