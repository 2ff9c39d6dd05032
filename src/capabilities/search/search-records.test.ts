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
const chart = { A: { field: 'number', means: 'number', kind: 'whole', lead: 'value' } } as const

const patienceStatement = statement(
  'test_patience_of_searches',
  [],
  { patience: text },
  `select current_setting('statement_timeout') as patience`,
)

async function search<One>(find: (tx: Tx, scope: Scope) => Promise<readonly One[]>) {
  const needs = world()
  const caller = await makeCallerOf(needs)
  return { caller, result: await searchRecords(needs, caller, { query: '(A=1)', chart, find }) }
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

test('a search that the server gives up is refused, and any other fault stays one', async () => {
  const { result } = await search(failing('57014'))
  assert(!result.ok)
  assert.deepEqual(result.refusal, { kind: 'query_too_slow', details: { seconds: 2 } })
  await assert.rejects(search(failing('42601')), /failed/)
})
