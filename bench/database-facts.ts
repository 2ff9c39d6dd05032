import { int8, text } from '#platform/postgres/column-type.ts'
import type { Database } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'
import { CheckFailed } from './scenario.ts'

// What the benchmark asks the gateway's database, past the gateway.

const countSessionsStatement = statement(
  'bench_count_sessions',
  [],
  { sessions: int8 },
  'select count(*) as sessions from session',
)

const readDurabilityStatement = statement(
  'bench_read_durability',
  [],
  { name: text },
  `select name from pg_settings
   where name in ('fsync', 'synchronous_commit', 'full_page_writes') and setting <> 'on'`,
)

const checkpointStatement = statement('bench_checkpoint', [], {}, 'checkpoint')

export async function countSessions(db: Database): Promise<number> {
  const [row] = await db.run(countSessionsStatement, [])
  return Number(row?.sessions)
}

// A figure that was bought with durability is none.
export async function checkDurability(db: Database): Promise<void> {
  const off = await db.run(readDurabilityStatement, [])
  if (off.length > 0)
    throw new CheckFailed(`PostgreSQL runs without ${off.map(({ name }) => name).join(', ')}`)
}

// Between samples, so that none falls into one: the next timed checkpoint is minutes away.
export async function checkpoint(db: Database): Promise<void> {
  await db.run(checkpointStatement, [])
}
