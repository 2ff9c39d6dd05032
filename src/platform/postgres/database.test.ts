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

const echoArrays = statement(
  'test_echo_arrays',
  [
    arrayOf(text),
    arrayOf(nullable(text)),
    arrayOf(bool),
    arrayOf(date),
    arrayOf(timestamptz),
    arrayOf(bytea),
    arrayOf(nullable(int8)),
    arrayOf(int4),
    arrayOf(jsonb),
  ],
  {
    a: text,
    b: nullable(text),
    c: bool,
    d: date,
    e: timestamptz,
    f: bytea,
    g: nullable(int8),
    h: int4,
    i: jsonb,
  },
  `select unnest($1::text[]) as a, unnest($2::text[]) as b, unnest($3::bool[]) as c, unnest($4::date[]) as d,
     unnest($5::timestamptz[]) as e, unnest($6::bytea[]) as f, unnest($7::int8[]) as g,
     unnest($8::int4[]) as h, unnest($9::jsonb[]) as i`,
)

test('every element of an array comes back as it went in', async () => {
  const odd = ['', 'NULL', 'null', '"quoted"', 'back\\slash', 'a,b', '{c}', ' blank ', "O'Neil ü", '1']
  const words = [...odd, '1', '1', 'Zoë', 'Zoë', '漢字', '𝄞', '', '']
  const maybe = words.map((word, at) => (at % 2 === 0 ? word : null))
  const days = words.map((_, at) => Temporal.PlainDate.from('1999-12-28').add({ days: at }))
  const moments = words.map((_, at) =>
    Temporal.Instant.from('2027-01-15T10:00:00.123456Z').add({ hours: at }),
  )
  const bytes = words.map((_, at) => Buffer.from([at, 255]))
  const numbers = words.map((_, at) => (at % 3 === 0 ? null : -(3n ** BigInt(2 * at))))
  const places = words.map((_, at) => 7 - at)
  const facts = words.map((word) => ({ [word]: [word, null, 1] }))
  const flags = words.map((_, at) => at > 4)
  const sent = [words, maybe, flags, days, moments, bytes, numbers, places, facts] as const
  const rows = await database().db.run(echoArrays, sent)
  assert.deepEqual(
    rows.map(({ a, b, c, d, e, f, g, h, i }) => [a, b, c, String(d), String(e), f, g, h, i]),
    words.map((word, at) => [
      word,
      maybe[at],
      flags[at],
      String(days[at]),
      String(moments[at]),
      bytes[at],
      numbers[at],
      places[at],
      facts[at],
    ]),
  )
})

const echoInstants = statement(
  'test_echo_instants',
  [arrayOf(timestamptz)],
  { at: timestamptz },
  'select unnest($1::timestamptz[]) as at',
)
const countInstants = statement(
  'test_count_instants',
  [arrayOf(timestamptz)],
  { count: int4 },
  'select cardinality($1::timestamptz[]) as count',
)

test('instants of any time arrive in an array, be they the same, and as exact as a row can be', async () => {
  const moment = Temporal.Instant.from('2027-01-15T10:00:00.123Z')
  const sent: readonly (readonly [Temporal.Instant, string])[] = [
    [moment, '2027-01-15T10:00:00.123Z'],
    [moment, '2027-01-15T10:00:00.123Z'],
    [Temporal.Instant.from('1999-12-31T23:59:59.999999Z'), '1999-12-31T23:59:59.999999Z'],
    [Temporal.Instant.from('1969-07-20T20:17:40.000001Z'), '1969-07-20T20:17:40.000001Z'],
    [Temporal.Instant.from('2027-01-15T10:00:00.1234567Z'), '2027-01-15T10:00:00.123457Z'],
    [Temporal.Instant.from('1999-12-31T23:59:59.9999984Z'), '1999-12-31T23:59:59.999998Z'],
  ]
  const rows = await database().db.run(echoInstants, [sent.map(([instant]) => instant)])
  assert.deepEqual(
    rows.map(({ at }) => String(at)),
    sent.map(([, written]) => written),
  )
})

test('an array without instants arrives as one', async () => {
  assert.deepEqual(await database().db.run(countInstants, [[]]), [{ count: 0 }])
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
