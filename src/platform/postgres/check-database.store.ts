import { bool, int4, text, timestamptz } from '#platform/postgres/column-type.ts'
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

const readSettingsStatement = statement(
  'read_server_settings',
  [],
  { fsync: text, full_page_writes: text, synchronous_commit: text, server_encoding: text },
  `select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
     current_setting('synchronous_commit') as synchronous_commit,
     current_setting('server_encoding') as server_encoding`,
)

// What the server, the database and the user allow together; -1 of the latter two is no limit.
const readConnectionLimitStatement = statement(
  'read_connection_limit',
  [],
  { connections: int4 },
  `select least(
     current_setting('max_connections')::int4 - current_setting('superuser_reserved_connections')::int4
       - current_setting('reserved_connections')::int4,
     (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
     (select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as connections`,
)

export async function readConnectionLimit(db: Queryable): Promise<number> {
  const [row] = await db.run(readConnectionLimitStatement, [])
  return row?.connections ?? 0
}

export async function isReadOnly(db: Queryable): Promise<boolean> {
  const [row] = await db.run(isReadOnlyStatement, [])
  return row?.is_read_only !== false
}

export async function readServerTime(db: Queryable): Promise<Temporal.Instant | null> {
  const [row] = await db.run(readTimeStatement, [])
  return row?.server_time ?? null
}

export async function readServerSettings(db: Queryable): Promise<Readonly<Record<string, string>>> {
  const [row] = await db.run(readSettingsStatement, [])
  return row ?? {}
}
