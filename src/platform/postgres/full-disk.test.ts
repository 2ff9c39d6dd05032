import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int4 } from '#platform/postgres/column-type.ts'
import { openDatabase } from '#platform/postgres/database.ts'
import { DatabaseUnavailable } from '#platform/postgres/failures.ts'
import { statement } from '#platform/postgres/statement.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

const database = useTestDatabase()
const backend = statement('test_backend_of_full', [], { pid: int4 }, 'select pg_backend_pid() as pid')
const full = statement(
  'test_full',
  [],
  {},
  `do $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`,
)

for (const isForBatches of [undefined, true] as const) {
  const kind = isForBatches ? 'for batches' : 'for calls'
  test(`a full disk is told like a database that is away, and a connection ${kind} is kept`, async () => {
    const options = { sizeMax: 1, onIdleError: () => undefined, ...(isForBatches && { isForBatches }) }
    const db = openDatabase(database().connection, options)
    const [before] = await db.run(backend, [])
    await assert.rejects(db.run(full, []), DatabaseUnavailable)
    const undone = db.inTransaction((tx) => tx.run(full, []))
    await assert.rejects(undone, DatabaseUnavailable)
    await assert.rejects(
      db.inTransaction((tx) => tx.run(full, []), { inOneGo: true }),
      DatabaseUnavailable,
    )
    assert.deepEqual(await db.run(backend, []), [before])
    await db.close()
  })
}
