import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryMessage } from '#capabilities/search/query.wire.ts'
import { type Search, searchRecords } from '#capabilities/search/search-records.operation.ts'
import { text } from '#platform/postgres/column-type.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'
import { makeCallerOf } from '../../../test/support/consent-world.ts'
import { firstPage } from '../../../test/support/searching.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()
const chart = {
  A: { field: 'number', means: 'number', kind: 'whole', isLed: true },
  B: { field: 'name', means: 'name', kind: 'text' },
  C: { field: 'created', means: 'created on', kind: 'moment', isLed: true },
} as const

const patienceStatement = statement(
  'test_patience_of_searches',
  [],
  { patience: text },
  `select current_setting('statement_timeout') as patience`,
)

type Find<One> = (tx: Tx, search: Search<string>) => Promise<readonly One[]>

async function search<One>(find: Find<One>, query = '(A=1)') {
  const needs = world()
  const caller = await makeCallerOf(needs)
  const searching = { subject: 'test', chart, find, positionOf: (): [bigint, bigint] => [1n, 2n] }
  return { caller, result: await searchRecords(needs, caller, firstPage(query), searching) }
}

test('at most 10,000 records are answered, and a cursor to the others', async () => {
  const all = Array.from({ length: 20_000 }, (_, at) => at)
  const { result } = await search(async (_tx, { most }) => all.slice(0, most))
  assert(result.ok)
  assert.deepEqual(result.value.records, all.slice(0, 10_000))
  assert.match(result.value.nextCursor ?? '', /^[\w-]{40}$/)
  assert.equal(queryMessage('Transaction', result.value), 'Successfully Returned Transaction Records : 10000')
})

test('exactly 10,000 records are all there are', async () => {
  const { result } = await search(async () => Array.from({ length: 10_000 }))
  assert(result.ok)
  assert.deepEqual([result.value.records.length, result.value.nextCursor], [10_000, null])
})

test('every search is restricted to the account of the caller', async () => {
  const { caller, result } = await search(async (_tx, { account, merchant }) => [{ account, merchant }])
  assert(result.ok)
  assert.deepEqual(result.value.records, [{ account: caller.accountId, merchant: null }])
})

test('a search has four seconds, whatever other statements have', async () => {
  const { result } = await search((tx) => tx.run(patienceStatement, []))
  assert(result.ok)
  assert.deepEqual(result.value.records, [{ patience: '4s' }])
  const [after] = await world().db.run(patienceStatement, [])
  assert.equal(after?.patience, '5s')
})

function failing(code: string) {
  return async (): Promise<readonly never[]> => {
    throw Object.assign(new Error('failed'), { code })
  }
}

// The clock of tests stands at 2027-01-15.
const tooSlow: readonly (readonly [string, string])[] = [
  ["(B LIKE '%x')", "the term (C>='2026-12-15'), or one of letter A with ="],
  ["(C<'3/1/2020')&&(B<>'x')", "the term (C>='2020-01-30'), or one of letter A with ="],
  ["(C>='1/1/2027')", "the term (C>='2027-01-08'), or one of letter A with ="],
  ["(C>='1/1/2020')&&(C<'1/11/2020')&&(B='x')", "the term (C>='2020-01-06'), or one of letter A with ="],
  ["(C>='1/1/2020')&&(C<'1/1/2020 11:00:00 PM')", 'one of letter A with ='],
  [
    "((C>='1/1/2020')&&(C<'1/3/2020'))||(C='1/5/2020')",
    "the term (C>='2020-01-03'), or one of letter A with =",
  ],
  ["(C>='1/1/2027')||(B='x')", "the term (C>='2026-12-15'), or one of letter A with ="],
]
for (const [query, term] of tooSlow) {
  test(`${query}, when it takes too long, is refused and not answered in part: add ${term}`, async () => {
    const { result } = await search(failing('57014'), query)
    assert(!result.ok)
    assert.deepEqual(result.refusal, { kind: 'query_too_slow', details: { seconds: 4, term } })
  })
}

test('any other fault stays one', async () => {
  await assert.rejects(search(failing('42601')), /failed/)
})
