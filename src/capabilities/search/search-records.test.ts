import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryMessage } from '#capabilities/search/query.wire.ts'
import { type Scope, searchRecords } from '#capabilities/search/search-records.operation.ts'
import { text } from '#platform/postgres/column-type.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'
import { makeCallerOf } from '../../../test/support/consent-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'

const world = useWorld()
const chart = {
  A: { field: 'number', means: 'number', kind: 'whole', lead: 'value' },
  B: { field: 'name', means: 'name', kind: 'text' },
  C: { field: 'created', means: 'created on', kind: 'moment', lead: 'from' },
} as const

const patienceStatement = statement(
  'test_patience_of_searches',
  [],
  { patience: text },
  `select current_setting('statement_timeout') as patience`,
)

type Since = { readonly since: Temporal.Instant | null }
type Find<One> = (tx: Tx, scope: Scope & Since) => Promise<readonly One[]>

async function search<One>(find: Find<One>, query = '(A=1)') {
  const needs = world()
  const caller = await makeCallerOf(needs)
  return { caller, result: await searchRecords(needs, caller, { query, chart, find }) }
}

test('at most 10,000 records are answered, and the answer says that there are more', async () => {
  const all = Array.from({ length: 20_000 }, (_, at) => at)
  const { result } = await search(async (_tx, { most }) => all.slice(0, most))
  assert(result.ok)
  assert.deepEqual(result.value.records, all.slice(0, 10_000))
  assert.equal(
    queryMessage('Transaction', result.value),
    'Successfully Returned Transaction Records : 10000; there are more, these are the newest',
  )
})

test('exactly 10,000 records are all there are', async () => {
  const { result } = await search(async () => Array.from({ length: 10_000 }))
  assert(result.ok)
  assert.equal(queryMessage('Consent', result.value), 'Successfully Returned Consent Records : 10000')
})

test('every search is restricted to the account of the caller', async () => {
  const { caller, result } = await search(async (_tx, { account, merchant }) => [{ account, merchant }])
  assert(result.ok)
  assert.deepEqual(result.value.records, [{ account: caller.accountId, merchant: null }])
})

test('a search has two seconds, whatever other statements have', async () => {
  const { result } = await search((tx) => tx.run(patienceStatement, []))
  assert(result.ok)
  assert.deepEqual(result.value.records, [{ patience: '2s' }])
  const [after] = await world().db.run(patienceStatement, [])
  assert.equal(after?.patience, '5s')
})

function failing(code: string) {
  return async (): Promise<readonly never[]> => {
    throw Object.assign(new Error('failed'), { code })
  }
}

// The server gives up whatever looks at more than so many days.
function slowBeyond(days: number) {
  const asked: (number | null)[] = []
  const find = async (_tx: Tx, { since }: Since): Promise<readonly string[]> => {
    const span = since && world().clock.now().since(since).total('hours') / 24
    asked.push(span)
    if (span === null || span > days) throw Object.assign(new Error('too slow'), { code: '57014' })
    return ['found']
  }
  return { find, asked }
}

for (const [query, days, spans, told] of [
  ["(B LIKE '%x')", 366, [366], 'only the newest 366 days were searched'],
  ["(B LIKE '%x')", 100, [366, 92], 'only the newest 92 days were searched'],
  ["(B LIKE '%x')", 1, [366, 92, 23, 6, 1], 'only the newest day was searched'],
  ["(C>='1/1/2020')&&(B LIKE '%x')", 30, [null, 366, 92, 23], 'only the newest 23 days were searched'],
] as const) {
  test(`${query}, too slow beyond ${days} days, is answered from fewer, and says so`, async () => {
    const { find, asked } = slowBeyond(days)
    const { result } = await search(find, query)
    assert(result.ok)
    assert.deepEqual([asked, result.value.records], [spans, ['found']])
    assert.equal(
      queryMessage('Transaction', result.value),
      `Successfully Returned Transaction Records : 1; ${told}`,
    )
  })
}

test('what asks for a time that has ended is not answered from another one, but refused', async () => {
  const { find, asked } = slowBeyond(366)
  const { result } = await search(find, "(C>='1/1/2020')&&(C<'1/1/2021')&&(B LIKE '%x')")
  assert(!result.ok)
  assert.deepEqual(result.refusal, { kind: 'query_too_slow', details: { seconds: 2 } })
  assert.deepEqual(asked, [null])
})

test('a search that the server never ends is refused, and any other fault stays one', async () => {
  const { result } = await search(failing('57014'))
  assert(!result.ok)
  assert.deepEqual(result.refusal, { kind: 'query_too_slow', details: { seconds: 2 } })
  await assert.rejects(search(failing('42601')), /failed/)
})
