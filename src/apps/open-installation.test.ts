import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openInstallation } from '#apps/open-installation.ts'
import { readConfig } from '#platform/config.ts'
import { openLog } from '#platform/log.ts'
import { startEmbeddedServer } from '#platform/postgres/embedded-server.ts'
import { int4 } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { emptyPlace } from '../../test/support/empty-place.ts'
import { startPooler } from '../../test/support/pooler.ts'

const meanwhile = () => Promise.reject(new Error('A file is missing'))

test('what fails while PostgreSQL is made ready leaves no server and no schema behind', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const config = readConfig({ DATA_DIR: folder })
  assert(!('problems' in config))
  const log = openLog('silent')
  await assert.rejects(openInstallation({ config, role: 'gateway', log, meanwhile }), /A file is missing/)
  assert.equal(existsSync(join(folder, 'postgres', 'cluster', 'postmaster.pid')), false)
  assert.equal(existsSync(config.keysFolder), false)
  const installation = await openInstallation({ config, role: 'gateway', log })
  await installation.close()
  assert.equal(installation.isNew, true)
})

test('a command waits for a server that is slow to let it in', async (t) => {
  const place = await emptyPlace(t)
  const pooler = await startPooler(t, /\/(test_\w+)/.exec(place.databaseUrl)?.[1] ?? '')
  // For longer than calls wait, and the bank.
  pooler.dawdle(2_200)
  const config = { ...place, databaseUrl: pooler.connection.connectionString }
  const installation = await openInstallation({ config, role: 'command', log: openLog('silent') })
  await using _ = { [Symbol.asyncDispose]: () => installation.close() }
  const { db, batchDb, recoveryDb } = installation
  const answers = await Promise.all([db, batchDb, recoveryDb].map((one) => one.run(connectionsMax, [])))
  assert.deepEqual(
    answers.map((rows) => rows.length),
    [1, 1, 1],
  )
})

const connectionsMax = statement(
  'test_connections_max',
  [],
  { most: int4 },
  `select setting::int4 as most from pg_settings where name = 'max_connections'`,
)

test('the PostgreSQL in the box takes the connections of all workers', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const config = readConfig({ DATA_DIR: folder, TILLGATE_POOL_SIZE: '8' })
  assert(!('problems' in config))
  const opened = { config, role: 'gateway', log: openLog('silent') } as const
  for (const [workers, most] of [
    [1, 400],
    [64, 2_600],
  ] as const) {
    const installation = await openInstallation({ ...opened, workers })
    assert.deepEqual(await installation.db.run(connectionsMax, []), [{ most }])
    await installation.close()
  }
})

test('a gateway starts a PostgreSQL anew that has too few connections, and a command does not', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tillgate-test-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const config = readConfig({ DATA_DIR: folder, TILLGATE_POOL_SIZE: '8' })
  assert(!('problems' in config))
  const told: string[] = []
  const log = openLog('info', (line) => told.push(line))
  const settings = { max_connections: '50' }
  for (const [role, workers, most] of [
    ['command', 64, 50],
    ['gateway', 1, 400],
  ] as const) {
    const left = await startEmbeddedServer({ folder: join(folder, 'postgres'), settings })
    told.length = 0
    const installation = await openInstallation({ config, role, log, workers })
    assert.deepEqual(await installation.db.run(connectionsMax, []), [{ most }])
    await installation.close()
    await left.stop()
  }
  assert.match(told.join(''), /server of an earlier run takes 50 connections: started anew for 400\./)
})
