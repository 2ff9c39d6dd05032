import { int8 } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const waitingStatement = statement(
  'test_count_waiting',
  [],
  { waiting: int8 },
  `select count(*) as waiting from pg_stat_activity
   where datname = current_database() and wait_event_type = 'Lock'`,
)

// Until somebody waits for a lock that another one holds.
export async function somebodyWaits(db: Queryable): Promise<void> {
  const [row] = await db.run(waitingStatement, [])
  if (row?.waiting === 0n) await somebodyWaits(db)
}
