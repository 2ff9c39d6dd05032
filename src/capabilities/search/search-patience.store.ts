import { patienceMs } from '#capabilities/search/search-turns.ts'
import { text } from '#platform/postgres/column-type.ts'
import type { Database, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const limitTimeStatement = statement(
  'limit_time_of_search',
  [text],
  { patience: text },
  `select set_config('statement_timeout', $1, true) as patience`,
)

// Whatever somebody asks for, the server gives it up after so long; a search takes nothing from the others.
export function inLimitedTime<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.inTransaction(async (tx) => {
    const [, found] = await Promise.all([tx.run(limitTimeStatement, [String(patienceMs)]), work(tx)])
    return found
  })
}
