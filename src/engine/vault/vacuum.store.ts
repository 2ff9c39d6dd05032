import pg from 'pg'
import { int8 } from '#platform/postgres/column-type.ts'
import { clientSettings, type Connection, patientSettings } from '#platform/postgres/connection.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { openSession } from '#platform/postgres/session.ts'
import { statement } from '#platform/postgres/statement.ts'

const countDeadRowsStatement = statement(
  'count_dead_vault_rows',
  [],
  { dead_rows: int8 },
  `select coalesce(sum(n_dead_tup), 0)::bigint as dead_rows
   from pg_stat_user_tables
   where relid in ('vault_card'::regclass, 'vault_bank_account'::regclass, 'vault_fingerprint'::regclass)`,
)

// As PostgreSQL's statistics tell, which are a second or so behind.
export async function countDeadRows(db: Queryable): Promise<bigint> {
  const [row] = await db.run(countDeadRowsStatement, [])
  return row?.dead_rows ?? 0n
}

// On a connection of its own: it must not be part of a transaction, and may take longer than any call.
export async function vacuumTables(connection: Connection): Promise<void> {
  const client = new pg.Client({ ...clientSettings(connection, patientSettings), lock_timeout: 60_000 })
  try {
    await openSession(client, patientSettings.connectionTimeoutMillis)
    await client.query('vacuum vault_card, vault_bank_account, vault_fingerprint')
  } finally {
    await client.end()
  }
}
