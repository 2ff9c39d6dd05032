import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import {
  bool,
  bytea,
  date,
  int4,
  int8,
  jsonb,
  nullable,
  text,
  timestamptz,
} from '#platform/postgres/column-type.ts'
import { arrayOf } from '#platform/postgres/column-type.ts'
import { type Database, openDatabase, transactAgain } from '#platform/postgres/database.ts'
import { DatabaseUnavailable } from '#platform/postgres/failures.ts'
import { patient, statement } from '#platform/postgres/statement.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

const database = useTestDatabase()

const echo = statement(
  'test_echo',
  [int8, int4, text, bool, bytea, date, timestamptz, jsonb, nullable(text), arrayOf(int8)],
  {
    a: int8,
    b: int4,
    c: text,
    d: bool,
    e: bytea,
    f: date,
    g: timestamptz,
    h: jsonb,
    i: nullable(text),
    j: int8,
  },
  `select $1::int8 as a, $2::int4 as b, $3::text as c, $4::bool as d, $5::bytea as e, $6::date as f,
     $7::timestamptz as g, $8::jsonb as h, $9::text as i,
     (select sum(x)::int8 from unnest($10::int8[]) x) as j`,
)
const one = statement('test_one', [], { n: int4 }, 'select 1 as n')
const fail = statement('test_fail', [], { n: int4 }, 'select 1/0 as n')
const backend = statement('test_backend', [], { pid: int4 }, 'select pg_backend_pid() as pid')

test('every type comes back as it went in', async () => {
  const [row] = await database().db.run(echo, [
    ...([9_007_199_254_740_993n, -5, "O'Neil ü", true, Buffer.from([0, 255])] as const),
    ...([
      Temporal.PlainDate.from('2027-02-28'),
      Temporal.Instant.from('2027-01-15T10:00:00.123456Z'),
    ] as const),
    ...([{ a: [1, null] }, null, [1n, 2n, 3n]] as const),
  ])
  assert.ok(row)
  assert.deepEqual(
    [row.a, row.b, row.c, row.d, row.e],
    [9_007_199_254_740_993n, -5, "O'Neil ü", true, Buffer.from([0, 255])],
  )
  assert.equal(row.f.toString(), '2027-02-28')
  assert.equal(row.g.toString(), '2027-01-15T10:00:00.123456Z')
  assert.deepEqual([row.h, row.i, row.j], [{ a: [1, null] }, null, 6n])
})

test('statements of a transaction may be sent together and are answered in order', async () => {
  const rows = await database().db.inTransaction((tx) =>
    Promise.all([tx.run(backend, []), tx.run(backend, [])]),
  )
  assert.equal(rows[0]?.[0]?.pid, rows[1]?.[0]?.pid)
})

test('a failed statement undoes the transaction and leaves the connection usable', async () => {
  const { db } = database()
  await assert.rejects(
    db.inTransaction(async (tx) => Promise.all([tx.run(one, []), tx.run(fail, []), tx.run(one, [])])),
    /division by zero/,
  )
  const answers = await Promise.all(Array.from({ length: 20 }, () => db.run(one, [])))
  assert.ok(answers.every(([row]) => row?.n === 1))
})

test('a transaction whose failure was swallowed does not pass for committed', async () => {
  await assert.rejects(
    database().db.inTransaction(async (tx) => {
      await tx.run(fail, []).catch(() => undefined)
    }),
    /Broken promise/,
  )
})

test('a database that is not there is told apart from a fault', async () => {
  const db = openDatabase(
    { host: '/nowhere', user: 'x', database: 'x' },
    { sizeMax: 1, onIdleError: () => undefined },
  )
  const silent = { name: 'DatabaseUnavailable', message: 'The database does not answer' }
  await assert.rejects(db.run(one, []), silent)
  await assert.rejects(
    db.inTransaction((tx) => tx.run(one, [])),
    silent,
  )
  await db.close()
})

const nap = statement('test_nap', [], { n: text }, `select pg_sleep(0.3)::text as n`)

test('a patient statement is waited for longer than others', async () => {
  const { connection } = database()
  const hasty = { ...connection, query_timeout: 100 }
  const db = openDatabase(hasty, { sizeMax: 1, onIdleError: () => undefined })
  await assert.rejects(db.run(nap, []), DatabaseUnavailable)
  assert.equal((await db.run(patient(nap, 60_000), [])).length, 1)
  await db.close()
})

test('a connection that the server ends is told as such and replaced', async () => {
  const { db } = database()
  const kill = statement('test_kill', [int4], { gone: bool }, 'select pg_terminate_backend($1) as gone')
  const lost = db.inTransaction(async (tx) => {
    const [row] = await tx.run(backend, [])
    await db.run(kill, [row?.pid ?? 0])
    return tx.run(one, [])
  })
  await assert.rejects(lost, DatabaseUnavailable)
  assert.equal((await db.run(one, []))[0]?.n, 1)
})

const lock = statement('test_lock', [int8], { at: text }, `select pg_advisory_xact_lock($1)::text as at`)
const detectSoon = statement('test_soon', [], {}, `set local deadlock_timeout = '500ms'`)
const detectLate = statement('test_late', [], {}, `set local deadlock_timeout = '10s'`)
const unlucky = statement(
  'test_unlucky',
  [],
  {},
  `do $$ begin raise exception 'unlucky' using errcode = '40001'; end $$`,
)

const changing = statement('test_changing', [], { word: text }, 'select word from changing')

for (const isForBatches of [undefined, true] as const) {
  const kind = isForBatches ? 'of a batch' : 'of the pool'
  test(`a connection ${kind} outlives no change of what its statements give`, async () => {
    const { db, connection } = database()
    const client = new pg.Client({ ...connection })
    await client.connect()
    const options = { sizeMax: 1, onIdleError: () => undefined, ...(isForBatches && { isForBatches }) }
    const other = openDatabase(connection, options)
    try {
      await client.query(`drop table if exists changing; create table changing as select 'a'::text as word`)
      assert.deepEqual(await other.run(changing, []), [{ word: 'a' }])
      await client.query(`alter table changing alter word type varchar(9)`)
      await assert.rejects(other.run(changing, []), { code: '0A000' })
      assert.deepEqual(await other.run(changing, []), [{ word: 'a' }])
      assert.deepEqual(await db.run(changing, []), [{ word: 'a' }])
    } finally {
      await Promise.all([client.end(), other.close()])
    }
  })
}

test('a transaction that the database broke off in a deadlock is begun anew', async () => {
  const { db } = database()
  const [firstHas, secondHas] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let runs = 0
  const first = transactAgain(db, async (tx) => {
    runs += 1
    await tx.run(detectSoon, [])
    await tx.run(lock, [1n])
    firstHas.resolve()
    await secondHas.promise
    await tx.run(lock, [2n])
    return 'first'
  })
  const second = db.inTransaction(async (tx) => {
    await firstHas.promise
    await Promise.all([tx.run(detectLate, []), tx.run(lock, [2n])])
    secondHas.resolve()
    await tx.run(lock, [1n])
    return 'second'
  })
  assert.deepEqual(await Promise.all([first, second]), ['first', 'second'])
  assert.equal(runs, 2)
})

test('a transaction that is broken off every time is given up after five repetitions', async () => {
  const { db } = database()
  const said: boolean[] = []
  const inTransaction: Database['inTransaction'] = (work, saying) => {
    said.push(saying?.inOneGo ?? false)
    return db.inTransaction(work, saying)
  }
  const endless = transactAgain({ ...db, inTransaction }, (tx) => tx.run(unlucky, []), { inOneGo: true })
  await assert.rejects(endless, { code: '40001' })
  assert.deepEqual(said, Array(6).fill(true))
})

test('a fault is not repeated', async () => {
  let runs = 0
  const faulty = transactAgain(database().db, async (tx) => {
    runs += 1
    await tx.run(fail, [])
  })
  await assert.rejects(faulty, /division by zero/)
  assert.equal(runs, 1)
})

test('of statements that were sent together the first failure is told', async () => {
  const told = database().db.inTransaction(async (tx) => {
    const [, later] = await Promise.allSettled([tx.run(fail, []), tx.run(one, [])])
    if (later.status === 'rejected') throw later.reason
  })
  await assert.rejects(told, /division by zero/)
})
