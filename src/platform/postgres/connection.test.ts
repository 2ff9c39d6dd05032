import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test, type TestContext } from 'node:test'
import { vacuumTables } from '#engine/vault/vacuum.store.ts'
import { bytea, date, text, timestamptz } from '#platform/postgres/column-type.ts'
import { batchMsMax, type Connection, connectionTo } from '#platform/postgres/connection.ts'
import { type Database, openDatabase } from '#platform/postgres/database.ts'
import { migrate } from '#platform/postgres/migrate.ts'
import { statement } from '#platform/postgres/statement.ts'
import { openPostgresLog } from '../../../simulator/postgres-log.ts'
import { administer, testConnection } from '../../../test/support/test-cluster.ts'

// A PostgreSQL of somebody's own, whose database or address sets what our statements count on otherwise.

const contrary = [
  `datestyle = 'German, DMY'`,
  `timezone = 'Asia/Kathmandu'`,
  `bytea_output = 'escape'`,
  `array_nulls = off`,
  `standard_conforming_strings = off`,
  `default_transaction_isolation = 'serializable'`,
  `client_min_messages = 'error'`,
  `statement_timeout = '1ms'`,
  `lock_timeout = '1ms'`,
  `transaction_timeout = '1min'`,
  `idle_session_timeout = '1min'`,
]

async function contraryDatabase(template: string): Promise<Connection> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(`create database ${name} template ${template}`)
  for (const setting of contrary) await administer(`alter database ${name} set ${setting}`)
  return testConnection(name)
}

function bothPools(t: TestContext, connection: Connection): readonly Database[] {
  const usual = { sizeMax: 1, onIdleError: () => undefined }
  const pools = [openDatabase(connection, usual), openDatabase(connection, { ...usual, isForBatches: true })]
  t.after(() => Promise.all(pools.map((db) => db.close())))
  return pools
}

const echo = statement(
  'test_contrary_echo',
  [bytea, date, timestamptz, text],
  { a: bytea, b: date, c: timestamptz, nulls: text, backslash: text },
  `select $1::bytea as a, $2::date as b, $3::timestamptz as c,
     (select count(*)::text from unnest($4::text[]) as x where x is null) as nulls, 'a\\b' as backslash`,
)
const readSession = statement(
  'test_read_session',
  [],
  { isolation: text, told: text, whole: text, idle: text, path: text },
  `select current_setting('transaction_isolation') as isolation,
     current_setting('client_min_messages') as told, current_setting('transaction_timeout') as whole,
     current_setting('idle_session_timeout') as idle,
     current_setting('search_path') as path`,
)

async function assertOurs(db: Database): Promise<void> {
  const moment = Temporal.Instant.from('2027-03-04T05:06:07.891234Z')
  const day = Temporal.PlainDate.from('2027-03-04')
  const [row] = await db.run(echo, [Buffer.from([0, 92, 255]), day, moment, '{NULL,"NULL"}'])
  assert.deepEqual(
    [row?.a, String(row?.b), String(row?.c), row?.nulls, row?.backslash],
    [Buffer.from([0, 92, 255]), '2027-03-04', String(moment), '1', 'a\\b'],
  )
}

test('bytes, dates, moments and nulls are what they are, whatever a database sets otherwise', async (t) => {
  for (const db of bothPools(t, await contraryDatabase('tillgate_template'))) await assertOurs(db)
})

test('isolation, warnings and limits of time are ours, whatever a database sets otherwise', async (t) => {
  const [plain, batching] = bothPools(t, await contraryDatabase('tillgate_template'))
  const ours = { isolation: 'read committed', told: 'warning', idle: '0' }
  const limit = `${batchMsMax / 1_000}s`
  assert.partialDeepStrictEqual(await plain?.run(readSession, []), [{ ...ours, whole: '0' }])
  assert.partialDeepStrictEqual(await batching?.run(readSession, []), [{ ...ours, whole: limit }])
})

test('what the address asks of a session counts, unless we count on something else', async (t) => {
  const { host = '', database } = await contraryDatabase('tillgate_template')
  const options = '-c search_path=public -c transaction_timeout=0 -c datestyle=SQL -c bytea_output=escape'
  const query = new URLSearchParams({ host, options })
  const [plain, batching] = bothPools(
    t,
    connectionTo(`postgresql://tillgate@/${database}?${query.toString()}`),
  )
  assert(plain && batching)
  for (const db of [plain, batching]) await assertOurs(db)
  const limit = `${batchMsMax / 1_000}s`
  assert.partialDeepStrictEqual(await batching.run(readSession, []), [{ whole: limit, path: 'public' }])
})

test('a schema is made and its vault is vacuumed, however little time a database allows', async () => {
  const connection = await contraryDatabase('template1')
  assert.notEqual((await migrate(connection)).length, 0)
  await vacuumTables(connection)
})

test('the simulated bank reads its own key, whatever a database sets otherwise', async (t) => {
  const connection = await contraryDatabase('template1')
  const [first, second] = [await openPostgresLog(connection), await openPostgresLog(connection)]
  t.after(() => Promise.all([first.close(), second.close()]))
  assert.equal(first.key.length, 32)
  assert.deepEqual(first.key, second.key)
})

test('a database that no longer lets its user in counts as away', async (t) => {
  const connection = await contraryDatabase('tillgate_template')
  const user = `test_${randomBytes(6).toString('hex')}`
  await administer(`create role ${user} nologin`)
  const pools = bothPools(t, { ...connection, user })
  const refused = { name: 'DatabaseUnavailable', message: 'The database does not let us in' }
  for (const db of pools) await assert.rejects(db.run(readSession, []), refused)
})
