import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { everything } from '#capabilities/search/filter.ts'
import { searchTransactions } from '#capabilities/search/transaction-search.store.ts'
import { queryTransactions } from '#capabilities/search/query-transactions.operation.ts'
import { accountId } from '#kernel/ids.ts'
import { fillPayments, paymentFacts } from '../../../test/support/many-payments.ts'
import type { ManyRecords } from '../../../test/support/many-records.ts'
import { searcherOf, tellingPlans } from '../../../test/support/searching.ts'
import { useWorldOn } from '../../../test/support/session-world.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'
import { withClient } from '../../../test/support/with-client.ts'

const payments = 30_000
const one = 4_321

// Kinds of query, and the index that finds the attempt of each.
const ledQueries: readonly (readonly [string, string, string])[] = [
  ['by transaction', `(H=${one})`, 'attempt_pkey'],
  ['by day and merchant', "(A=22)&&(C>='2026-06-01')&&(C<'2026-06-02')", 'attempt_by_time'],
  ['by amount and day', "(L=1322.50)&&(C>='2026-06-01')&&(C<'2026-06-02')", 'attempt_by_time'],
  ['by last name', `(D='${paymentFacts.lastName(one)}')`, 'attempt_by_card'],
  ['by last name prefix', "(D LIKE 'Payer00432%')", 'attempt_by_card'],
  ['by last four', `(Q=${paymentFacts.lastFour(one)})`, 'attempt_by_card'],
  ['by reference', `(M='${paymentFacts.reference(one)}')`, 'attempt_by_reference'],
  ['by second reference', `(N='${paymentFacts.secondReference(one)}')`, 'attempt_by_reference'],
  ['by consent', `(P=${one})`, 'attempt_by_reference'],
  ['by batch', '(F=12)', 'attempt_pkey'],
]

describe('with many payments', () => {
  const database = useTestDatabase()
  const world = useWorldOn(database)
  let filled: ManyRecords | null = null
  before(async () => {
    filled = await withClient(database().connection, (client) =>
      fillPayments(client, payments, world().clock.now()),
    )
  })
  const caller = () => searcherOf(filled?.account ?? 1n, world().clock.now())

  for (const [words, query, index] of ledQueries) {
    for (const pageSize of [10, 10_000]) {
      test(`a payment is found ${words} by an index, in pages of ${pageSize}`, async () => {
        const { db, plans } = tellingPlans(database().db)
        const found = await queryTransactions({ ...world(), db }, caller(), { query, pageSize, cursor: '' })
        assert(found.ok)
        const [plan = ''] = plans
        assert.match(plan, new RegExp(index), plan)
        assert.doesNotMatch(plan, /Seq Scan on attempt/, plan)
      })
    }
  }

  test('a later page begins where the one before it ended, without a look at that one', async () => {
    const { db, plans } = tellingPlans(database().db)
    const query = { query: '(B=-1)', pageSize: 100 }
    const first = await queryTransactions(world(), caller(), { ...query, cursor: '' })
    assert(first.ok && first.value.nextCursor !== null)
    await queryTransactions({ ...world(), db }, caller(), { ...query, cursor: first.value.nextCursor })
    const [plan = ''] = plans
    assert.match(plan, /Index Scan Backward using attempt_by_time/, plan)
    assert.match(plan, /Index Cond: .*ROW\(created_at, attempt_id\) < ROW/, plan)
  })

  test('the newest payments are found without a look at all others', async () => {
    const { db, plans } = tellingPlans(database().db)
    const newest = {
      account: accountId(filled?.account ?? 1n),
      merchant: null,
      filter: everything,
      after: null,
      most: 100,
    }
    await db.inTransaction((tx) => searchTransactions(tx, newest))
    const [plan = ''] = plans
    assert.match(plan, /Index Scan Backward using attempt_by_time/, plan)
    assert.doesNotMatch(plan, /Seq Scan on attempt|Append/, plan)
  })
})
