import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { type Connection, connectionSettings } from '#platform/postgres/connection.ts'
import { DatabaseUnavailable } from '#platform/postgres/failures.ts'
import { migrate } from '#platform/postgres/migrate.ts'
import { startPooler } from '../../../test/support/pooler.ts'
import { administer, testConnection } from '../../../test/support/test-cluster.ts'
import { withClient } from '../../../test/support/with-client.ts'

// A folder of migrations and an empty database to run them on.
async function freshPlace(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'tillgate-migrations-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(`create database ${name}`)
  const connection = testConnection(name)
  return {
    folder,
    write: (file: string, sql: string) => writeFile(join(folder, file), sql),
    run: (options: Options = {}) => migrate(connection, { folder, ...options }),
    tables: () => tablesOf(connection),
    connect: () => connect(t, connection),
  }
}

type Options = Parameters<typeof migrate>[1]

// Nobody who waits for a lock in vain waits for ever.
async function connect(t: TestContext, connection: Connection): Promise<pg.Client> {
  const client = new pg.Client({ ...connection, statement_timeout: 20_000 })
  await client.connect()
  t.after(() => client.end())
  return client
}

async function somebodyWaits(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  if (rows.length === 0) await somebodyWaits(client)
}

async function tablesOf(connection: Connection): Promise<readonly string[]> {
  const { rows } = await withClient(connection, (client) =>
    client.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public' order by tablename`,
    ),
  )
  return rows.map((row) => row.name)
}

test('several nodes that start at once migrate once, and all wait for it', async (t) => {
  const { write, run, tables } = await freshPlace(t)
  await write('0001_a.sql', 'create table a (x int); select pg_sleep(0.1);')
  await write('0002_b.sql', 'create table b (x int)')
  const applied = await Promise.all([run(), run(), run(), run()])
  assert.deepEqual(applied.flat().toSorted(), ['0001_a.sql', '0002_b.sql'])
  assert.deepEqual(await tables(), ['a', 'b', 'schema_migration'])
})

test('a migration that fails leaves nothing of itself behind, and works once it is mended', async (t) => {
  const { write, run, tables } = await freshPlace(t)
  await write('0001_a.sql', 'create table a (x int)')
  await run()
  await write('0002_b.sql', 'create table b (x int)')
  await write('0003_c.sql', 'create table c (x int); select 1/0;')
  await assert.rejects(run(), /0003_c.sql failed and was undone/)
  assert.deepEqual(await tables(), ['a', 'b', 'schema_migration'])
  await write('0003_c.sql', 'create table c (x int)')
  assert.deepEqual(await run(), ['0003_c.sql'])
})

test('a new database has its whole schema or none of it', async (t) => {
  const { write, run, tables } = await freshPlace(t)
  await write('0001_a.sql', 'create table a (x int)')
  await write('0002_b.sql', 'create table b (x int); select 1/0;')
  await write('0003_c.sql', 'create table c (x int)')
  // Not what the server says of the third, which was sent with it.
  await assert.rejects(run(), (error: Error) => {
    assert.match(error.message, /0002_b.sql failed and was undone/)
    assert.match(String(error.cause), /division by zero/)
    return true
  })
  assert.deepEqual(await tables(), ['schema_migration'])
  await write('0002_b.sql', 'create table b (x int)')
  assert.deepEqual(await run(), ['0001_a.sql', '0002_b.sql', '0003_c.sql'])
})

test('a migration that was edited after it had been applied is refused', async (t) => {
  const { write, run } = await freshPlace(t)
  await write('0001_a.sql', 'create table a (x int)')
  await run()
  await write('0001_a.sql', 'create table a (x int, y int)')
  await assert.rejects(run(), /0001_a.sql was changed/)
})

test('a database that is newer than the program is refused', async (t) => {
  const { folder, write, run } = await freshPlace(t)
  await write('0001_a.sql', 'create table a (x int)')
  await write('0002_b.sql', 'create table b (x int)')
  await run()
  await rm(join(folder, '0002_b.sql'))
  await assert.rejects(run(), /newer/)
})

test('a gap in the numbers is refused', async (t) => {
  const { write, run } = await freshPlace(t)
  await write('0002_b.sql', 'create table b (x int)')
  await assert.rejects(run(), /0002_b.sql/)
})

test('a migration that waits for a table keeps nobody from it, and is done when it is free', async (t) => {
  const { write, run, connect: connectTo } = await freshPlace(t)
  await write('0001_a.sql', 'create table a (x int)')
  await run()
  const [backup, node] = [await connectTo(), await connectTo()]
  await backup.query('begin')
  await backup.query('select x from a')
  await write('0002_b.sql', 'alter table a add column y int')
  const migrated = run()
  await somebodyWaits(node)
  await node.query('select x from a')
  await backup.query('commit')
  assert.deepEqual(await migrated, ['0002_b.sql'])
})

test('a migration that does not get its table is given up, with nothing done, and says why', async (t) => {
  const { write, run, tables, connect: connectTo } = await freshPlace(t)
  await write('0001_a.sql', 'create table a (x int)')
  await run()
  const backup = await connectTo()
  await backup.query('begin')
  await backup.query('select x from a')
  await write('0002_b.sql', 'create table b (x int); alter table a add column y int')
  await assert.rejects(run({ lockTriesMax: 1 }), /^MigrationRefused: 0002_b.sql changes a table that another/)
  assert.deepEqual(await tables(), ['a', 'schema_migration'])
})

test('a migration waits until an autovacuum is ended for it, and for less than a call does', async (t) => {
  const { write, run } = await freshPlace(t)
  const callMs = connectionSettings.lock_timeout
  await write(
    '0001_a.sql',
    `do $$ begin
       assert current_setting('lock_timeout')::interval > current_setting('deadlock_timeout')::interval;
       assert current_setting('lock_timeout')::interval < interval '${callMs} ms';
     end $$`,
  )
  assert.deepEqual(await run(), ['0001_a.sql'])
})

test('what a database misses is told before it is done, but not of a new one', async (t) => {
  const { write, run, tables } = await freshPlace(t)
  const told: (readonly string[])[] = []
  const onBegin = async (missing: readonly string[]): Promise<void> => void told.push(missing)
  await write('0001_a.sql', 'create table a (x int)')
  await run({ onBegin })
  await write('0002_b.sql', 'create table b (x int)')
  await write('0003_c.sql', 'select 1/0')
  await assert.rejects(run({ onBegin }))
  await run({ onBegin }).catch(() => undefined)
  assert.deepEqual(told, [['0002_b.sql', '0003_c.sql'], ['0003_c.sql']])
  assert.deepEqual(await tables(), ['a', 'b', 'schema_migration'])
})

const object = () => Promise.reject(new Error('not this one'))

test('a database that somebody objects to moving on stays as it is', async (t) => {
  const { write, run, tables } = await freshPlace(t)
  await write('0001_a.sql', 'create table a (x int)')
  await run({ onBegin: object })
  await write('0002_b.sql', 'create table b (x int)')
  await assert.rejects(run({ onBegin: object }), /not this one/)
  assert.deepEqual(await tables(), ['a', 'schema_migration'])
})

for (const [what, table] of [
  ['a table of ours', 'a (id int)'],
  ['the list of migrations', 'schema_migration (version text)'],
] as const) {
  test(`a database in which another program has ${what} is refused and left as it is`, async (t) => {
    const { write, run, tables, connect: connectTo } = await freshPlace(t)
    await (await connectTo()).query(`create table ${table}`)
    await write('0001_a.sql', 'create table b (x int); create table a (x int)')
    await assert.rejects(run(), /^MigrationRefused: The database holds something of another program: /)
    assert.equal((await tables()).includes('b'), false)
  })
}

test('a server that hangs up during a migration, or between two, is away', async (t) => {
  const { write, run, connect: connectTo } = await freshPlace(t)
  const others = await connectTo()
  const hangUp = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
  await write('0001_a.sql', 'create table a (x int)')
  await run()
  await write('0002_b.sql', 'select pg_terminate_backend(pg_backend_pid())')
  await assert.rejects(run(), DatabaseUnavailable)
  await assert.rejects(run({ onBegin: async () => void (await others.query(hangUp)) }), DatabaseUnavailable)
})

test('a pooler that keeps our settings from PostgreSQL is refused', async (t) => {
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(`create database ${name}`)
  const pooler = await startPooler(t, name)
  pooler.keepSettingsBack()
  await assert.rejects(migrate(pooler.connection), (error: Error) => {
    assert(error instanceof DatabaseUnavailable)
    assert.match(String(error.cause), /^SettingsLost: What answers at DATABASE_URL keeps/)
    return true
  })
  assert.deepEqual(await tablesOf(testConnection(name)), [])
})
