import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  arrayOf,
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
import { statement } from '#platform/postgres/statement.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

const database = useTestDatabase()

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
  const facts = words.map((word, at) => (at % 4 === 0 ? null : { [word]: [word, null, 1] }))
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

const writeNumbers = statement(
  'test_write_numbers',
  [arrayOf(int4), arrayOf(int8)],
  { n: int4 },
  'select cardinality($1::int4[]) + cardinality($2::int8[]) as n',
)

for (const [what, small, large] of [
  ['too large', 2 ** 31, 0n],
  ['no number', Number.NaN, 0n],
  ['a fraction', 1.5, 0n],
  ['far too large', 0, 2n ** 63n],
  ['far below zero', 0, -(2n ** 63n) - 1n],
] as const) {
  test(`what is ${what} for a column is refused and not written as another number`, async () => {
    await assert.rejects(
      database().db.run(writeNumbers, [
        [1, small],
        [2n, large],
      ]),
      /has room for it/,
    )
    await assert.rejects(
      database().db.inTransaction((tx) => tx.run(writeNumbers, [[small], [large]])),
      /has room for it/,
    )
    assert.deepEqual(await database().db.run(writeNumbers, [[1, 2], [3n]]), [{ n: 3 }])
  })
}
