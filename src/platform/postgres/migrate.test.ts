import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import type { Connection } from '#platform/postgres/database.ts'
import { migrate } from '#platform/postgres/migrate.ts'
import { administer, testConnection } from '../../../test/support/test-cluster.ts'

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
    run: () => migrate(connection, { folder }),
    tables: () => tablesOf(connection),
  }
}

async function tablesOf(connection: Connection): Promise<readonly string[]> {
  const client = new pg.Client(connection)
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `select tablename as name from pg_tables where schemaname = 'public' order by tablename`,
  )
  await client.end()
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
  await assert.rejects(run(), /0002_b.sql failed and was undone/)
  assert.deepEqual(await tables(), ['schema_migration'])
  await write('0002_b.sql', 'create table b (x int)')
  assert.deepEqual(await run(), ['0001_a.sql', '0002_b.sql'])
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
