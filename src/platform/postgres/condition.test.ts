import assert from 'node:assert/strict'
import { test } from 'node:test'
import { arrayOf, int8, text } from '#platform/postgres/column-type.ts'
import { bind, runNarrowed, sql } from '#platform/postgres/condition.ts'
import { statement } from '#platform/postgres/statement.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

const database = useTestDatabase()

const numbersStatement = statement(
  'test_numbers_with_a_condition',
  [int8],
  { number: int8 },
  `select n::int8 as number from generate_series(1, $1::int8) as n where true /* condition */ order by n`,
)

async function numbersWhere(condition: ReturnType<typeof sql>): Promise<readonly number[]> {
  const rows = await runNarrowed(database().db, { statement: numbersStatement, values: [9n], condition })
  return rows.map(({ number }) => Number(number))
}

test('a condition fills the gap, and its values follow those of the statement', async () => {
  const condition = sql`n > ${bind(int8, 3n)} and n = any(${bind(arrayOf(int8), [2n, 5n, 7n])})`
  assert.deepEqual(await numbersWhere(condition), [5, 7])
  assert.deepEqual(await numbersWhere(sql`n < ${bind(int8, 3n)} or ${condition}`), [1, 2, 5, 7])
})

test('a condition stays together, whatever joints it holds', async () => {
  const condition = sql`n = 1 or n = 2`
  assert.deepEqual(await numbersWhere(sql`(${condition}) and n <> 1`), [2])
})

test('the same statement takes one condition after another', async () => {
  for (const number of [1n, 2n, 3n]) {
    assert.deepEqual(await numbersWhere(sql`n = ${bind(int8, number)}`), [Number(number)])
  }
})

test('a value stays a value, whatever it says', async () => {
  for (const said of ["' or true --", '$1', '$&', '\\', '%']) {
    assert.deepEqual(await numbersWhere(sql`n::text = ${bind(text, said)}`), [])
  }
})

test('a statement without a gap takes no condition', async () => {
  const whole = { ...numbersStatement, text: 'select 1::int8 as number where $1::int8 > 0' }
  assert.throws(
    () => runNarrowed(database().db, { statement: whole, values: [9n], condition: sql`true` }),
    /one gap/,
  )
})
