import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { lockSeeding } from '#capabilities/sandbox/seed-lock.store.ts'
import { int4 } from '#platform/postgres/column-type.ts'
import { openDatabase } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

const database = useTestDatabase()

const countLongWaits = statement(
  'test_count_long_waits',
  [],
  { waits: int4 },
  `select count(*)::int4 as waits from pg_stat_activity
   where datname = current_database() and wait_event = 'advisory'
     and clock_timestamp() - query_start > interval '300 milliseconds'`,
)

test('a node waits longer for another one that seeds than any call waits for anything', async () => {
  const { connection, db } = database()
  const hasty = { ...connection, lock_timeout: 100, statement_timeout: 100, query_timeout: 100 }
  const other = openDatabase(hasty, { sizeMax: 1, onIdleError: () => undefined })
  const isDone = Promise.withResolvers<void>()
  const isLocked = Promise.withResolvers<void>()
  const seeding = db.inTransaction(async (tx) => {
    await lockSeeding(tx)
    isLocked.resolve()
    await isDone.promise
  })
  await isLocked.promise
  const waiting = other.inTransaction(lockSeeding)
  const hasGivenUp = waiting.then(
    () => true,
    () => true,
  )
  while ((await db.run(countLongWaits, []))[0]?.waits !== 1)
    if (await Promise.race([hasGivenUp, delay(5, false)])) break
  isDone.resolve()
  await Promise.all([seeding, waiting])
  await other.close()
})
