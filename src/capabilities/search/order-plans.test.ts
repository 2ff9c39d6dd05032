import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { queryOrders } from '#capabilities/search/query-orders.operation.ts'
import { fillOrders, orderFacts } from '../../../test/support/many-orders.ts'
import type { ManyRecords } from '../../../test/support/many-records.ts'
import { searcherOf, tellingPlans } from '../../../test/support/searching.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'
import { useWorldOn } from '../../../test/support/session-world.ts'
import { withClient } from '../../../test/support/with-client.ts'

const orders = 20_000
const one = 4_321

// The kinds of query that the docs tell to be quick, and the index of each.
const documentedQueries: readonly (readonly [string, string, string])[] = [
  ['by transaction', `(F='${orderFacts.transaction(one)}')`, 'order_record_by_transaction'],
  ['by record', '(H=12345)', 'order_record_pkey'],
  ['by day and merchant', "(A=22)&&(C>='2026-06-01')&&(C<'2026-06-02')", 'order_record_by_time'],
  ['by last name prefix', "(D LIKE 'Payer0432%')", 'order_record_by_name'],
  ['by last name', `(D='${orderFacts.lastName(one)}')`, 'order_record_by_name'],
  ['by last four', `(Q=${orderFacts.lastFour(one)})`, 'order_record_by_last_four'],
  ['by reference', `(M='${orderFacts.reference(one)}')`, 'order_record_by_client_ref'],
  ['by second reference', "(N='basket-7')", 'order_record_by_guid'],
  ['by consent', '(W=12)', 'order_record_by_consent'],
  ['by token', "(W='5f0c9c3e-7f5c-4c1e-9a55-0d9a3c6f2b11')", 'order_record_by_token'],
  ['by amount and day', "(L=322.50)&&(C>='2026-06-01')&&(C<'2026-06-02')", 'order_record_by_time'],
  ['by either of two', `(M='ref-9')||(D='${orderFacts.lastName(one)}')`, 'order_record_by_client_ref'],
]

describe('with many orders', () => {
  const database = useTestDatabase()
  const world = useWorldOn(database)
  let filled: ManyRecords | null = null
  before(async () => {
    filled = await withClient(database().connection, (client) =>
      fillOrders(client, orders, world().clock.now()),
    )
  })
  const caller = () => searcherOf(filled?.account ?? 1n, world().clock.now())

  for (const [words, query, index] of documentedQueries) {
    for (const pageSize of [10, 10_000]) {
      test(`an order ${words} is found by an index, in pages of ${pageSize}`, async () => {
        const { db, plans } = tellingPlans(database().db)
        const found = await queryOrders({ ...world(), db }, caller(), { query, pageSize, cursor: '' })
        assert(found.ok)
        const [plan = ''] = plans
        assert.match(plan, new RegExp(index), plan)
        assert.doesNotMatch(plan, /Seq Scan on (?:order_record|card_order)/, plan)
      })
    }
  }

  test('the next page of the newest is found without a look at all others', async () => {
    const { db, plans } = tellingPlans(database().db)
    const query = { query: '(B=3)&&(E=1)', pageSize: 100 }
    const first = await queryOrders(world(), caller(), { ...query, cursor: '' })
    assert(first.ok && first.value.nextCursor !== null)
    for (const cursor of ['', first.value.nextCursor])
      await queryOrders({ ...world(), db }, caller(), { ...query, cursor })
    for (const plan of plans) {
      assert.match(plan, /Index Scan using order_record_of_order/, plan)
      assert.doesNotMatch(plan, /Seq Scan on (?:order_record|card_order)/, plan)
    }
    assert.match(plans.at(-1) ?? '', /Index Cond: .*order_id <= /)
  })
})
