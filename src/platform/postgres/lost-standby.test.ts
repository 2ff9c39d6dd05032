import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { bool, int4, text } from '#platform/postgres/column-type.ts'
import { type Database, openDatabase } from '#platform/postgres/database.ts'
import { CommitInDoubt, DatabaseUnavailable } from '#platform/postgres/failures.ts'
import { statement } from '#platform/postgres/statement.ts'
import { administer } from '../../../test/support/test-cluster.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

const database = useTestDatabase()

const makeTable = statement('test_make_table', [], {}, 'create table test_written (n int4)')
const write = statement('test_write', [int4], {}, 'insert into test_written (n) values ($1)')
// Writes to the log alone.
const probe = statement(
  'test_probe',
  [],
  { at: text },
  `select pg_logical_emit_message(true, 'test', '')::text as at`,
)
const count = statement('test_count', [], { n: int4 }, 'select count(*)::int4 as n from test_written')
// The administrator's cancel stands for every reason to stop waiting; a time limit is another.
const giveUp = statement(
  'test_give_up',
  [],
  { is_cancelled: bool },
  `select pg_cancel_backend(pid) as is_cancelled from pg_stat_activity
   where datname = current_database() and wait_event = 'SyncRep'`,
)

// Whoever commits in this database waits for a standby that is not there. Others on the server do not: their
// databases do not wait even for their own disk.
async function waitForAStandby(t: TestContext): Promise<void> {
  const { db, connection } = database()
  await db.run(makeTable, [])
  await administer(`alter database ${connection.database} set synchronous_commit = on`)
  // Whoever set this wants to read no warnings; ours is told all the same.
  await administer(`alter database ${connection.database} set client_min_messages = error`)
  await administer(`alter system set synchronous_standby_names = 'nobody'`)
  await administer('select pg_reload_conf()')
  t.after(async () => {
    await administer('alter system reset synchronous_standby_names')
    await administer('select pg_reload_conf()')
  })
}

// Cancels the wait for the standby. False when the commit ended without one.
async function endsTheWait(observer: Database, committing: Promise<unknown>): Promise<boolean> {
  const over = committing.then(
    () => true,
    () => true,
  )
  do {
    if ((await observer.run(giveUp, [])).length > 0) return over
  } while (!(await Promise.race([over, delay(5, false)])))
  return false
}

test('what the standby has not confirmed is unknown, though the server calls it a success', async (t) => {
  const { connection, db: observer } = database()
  await waitForAStandby(t)
  const [plain, batching] = [false, true].map((isForBatches) =>
    openDatabase(connection, {
      sizeMax: 1,
      onIdleError: () => undefined,
      ...(isForBatches ? { isForBatches } : {}),
    }),
  ) as [Database, Database]
  t.after(() => Promise.all([plain.close(), batching.close()]))
  // The server takes a setting up in its own time, and until then commits do not wait.
  while (!(await endsTheWait(observer, plain.run(probe, [])))) await delay(5)
  const writes = [
    () => plain.run(write, [1]),
    () => plain.inTransaction((tx) => tx.run(write, [2])),
    () => batching.run(write, [3]),
    () => batching.inTransaction((tx) => tx.run(write, [4])),
    () => batching.inTransaction((tx) => tx.run(write, [5]), { inOneGo: true }),
  ]
  for (const [at, writeOne] of writes.entries()) {
    const writing = writeOne()
    const refused = assert.rejects(writing, DatabaseUnavailable)
    const [didWait] = await Promise.all([endsTheWait(observer, writing), refused])
    assert(didWait, 'it waits for the standby')
    assert.deepEqual(await observer.run(count, []), [{ n: at + 1 }], 'it was committed all the same')
    if (at === 1) await assert.rejects(writing, CommitInDoubt, 'a plain transaction may have been made')
  }
})
