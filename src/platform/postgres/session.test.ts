import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { test, type TestContext } from 'node:test'
import { vacuumTables } from '#engine/vault/vacuum.store.ts'
import { int4 } from '#platform/postgres/column-type.ts'
import { connectionSettings } from '#platform/postgres/connection.ts'
import { openDatabase } from '#platform/postgres/database.ts'
import { migrate } from '#platform/postgres/migrate.ts'
import { listen } from '#platform/postgres/notifications.ts'
import { Presence } from '#platform/postgres/presence.ts'
import { statement } from '#platform/postgres/statement.ts'
import { type Pooler, startPooler } from '../../../test/support/pooler.ts'
import { administer } from '../../../test/support/test-cluster.ts'

const one = statement('test_any_answer', [], { n: int4 }, 'select 1 as n')

// At first it passes everything on. Then it keeps our settings back.
async function poolerBeforeDatabase(t: TestContext): Promise<Pooler> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(`create database ${name}`)
  return startPooler(t, name)
}

async function assertRefused(work: () => Promise<unknown>): Promise<void> {
  await assert.rejects(work, (error: Error) => {
    assert.equal(error.name, 'DatabaseUnavailable')
    assert.match(String(error.cause), /^SettingsLost: What answers at DATABASE_URL keeps our settings from/)
    return true
  })
}

test('a pooler in the place of the server lets nobody listen or hold a lock through it', async (t) => {
  const pooler = await poolerBeforeDatabase(t)
  const open = async () => {
    const presence = new Presence(pooler.connection)
    await presence.show().finally(() => presence.close())
    await (await listen(pooler.connection, () => undefined)).close()
  }
  await open()
  pooler.keepSettingsBack()
  await assertRefused(() => new Presence(pooler.connection).show())
  await assertRefused(() => listen(pooler.connection, () => undefined))
  await assertRefused(() => vacuumTables(pooler.connection))
})

for (const isForBatches of [false, true]) {
  const whose = isForBatches ? 'batches' : 'calls'
  test(`a pooler in the place of the server is given nothing of ${whose}`, async (t) => {
    const pooler = await poolerBeforeDatabase(t)
    const broken = new EventTarget()
    const db = openDatabase(pooler.connection, {
      sizeMax: 1,
      onIdleError: () => broken.dispatchEvent(new Event('broken')),
      ...(isForBatches ? { isForBatches } : {}),
    })
    t.after(() => db.close())
    await db.run(one, [])
    const isBroken = once(broken, 'broken')
    pooler.keepSettingsBack()
    await isBroken
    await assertRefused(() => db.run(one, []))
    await assertRefused(() => db.inTransaction((tx) => tx.run(one, [])))
  })
}

test('a pooler that does not let go of us keeps nobody waiting', async (t) => {
  const pooler = await poolerBeforeDatabase(t)
  pooler.keepSettingsBack()
  pooler.keepEverybody()
  const db = openDatabase(pooler.connection, { sizeMax: 1, onIdleError: () => undefined })
  t.after(() => db.close())
  await assertRefused(() => db.run(one, []))
  await assertRefused(() => new Presence(pooler.connection).show())
  await assertRefused(() => listen(pooler.connection, () => undefined))
})

test('a server that is slow to let somebody in is waited for where no call waits', async (t) => {
  const pooler = await poolerBeforeDatabase(t)
  pooler.dawdle(connectionSettings.connectionTimeoutMillis + 500)
  const db = openDatabase(pooler.connection, { sizeMax: 1, onIdleError: () => undefined })
  t.after(() => db.close())
  await assert.rejects(db.run(one, []), { message: 'The database does not answer' })
  await migrate(pooler.connection)
  await vacuumTables(pooler.connection)
})

test('a refusal of the server is told through a pooler that does not let go of us', async (t) => {
  const pooler = await startPooler(t, 'no_such_database')
  pooler.keepEverybody()
  const db = openDatabase(pooler.connection, { sizeMax: 1, onIdleError: () => undefined })
  t.after(() => db.close())
  for (const work of [
    () => migrate(pooler.connection),
    () => new Presence(pooler.connection).show(),
    () => listen(pooler.connection, () => undefined),
    () => db.run(one, []),
  ]) {
    await assert.rejects(work, (error: Error) => {
      assert.equal(error.name, 'DatabaseUnavailable')
      assert.match(String(error.cause), /database "no_such_database" does not exist/)
      return true
    })
  }
})
