import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int4 } from '#platform/postgres/column-type.ts'
import { openDatabase } from '#platform/postgres/database.ts'
import { DiskRoom } from '#platform/postgres/disk-room.ts'
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
    let found = 0
    const onFull = () => void (found += 1)
    const options = {
      sizeMax: 1,
      onIdleError: () => undefined,
      onFull,
      ...(isForBatches && { isForBatches }),
    }
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
    assert.equal(found, 3)
    await db.close()
  })
}

test('a disk that was full is tried out at each look until there is room', async () => {
  const { db } = database()
  const disk = new DiskRoom()
  let tries = 0
  const filled: typeof db = {
    ...db,
    run: (asked, values) => {
      tries += 1
      // What the server answers when a table cannot grow.
      return tries > 2 ? db.run(asked, values) : db.run(full, []).then(() => [])
    },
  }
  assert.equal(await disk.hasRoom(filled), true)
  assert.equal(tries, 0, 'nothing is written while nothing has failed')
  disk.noteFull()
  assert.deepEqual([await disk.hasRoom(filled), await disk.hasRoom(filled)], [false, false])
  assert.equal(await disk.hasRoom(filled), true)
  assert.equal(await disk.hasRoom(filled), true)
  assert.equal(tries, 3)
})
