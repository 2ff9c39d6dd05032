import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import pg from 'pg'
import { everything } from '#capabilities/search/filter.ts'
import { searchTransactions } from '#capabilities/search/transaction-search.store.ts'
import { queryTransactions } from '#capabilities/search/query-transactions.operation.ts'
import { accountId } from '#kernel/ids.ts'
import { searcherOf, tellingPlans } from '../../../test/support/searching.ts'
import { useWorldOn } from '../../../test/support/session-world.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

const payments = 30_000

// A year of sales, four fifths of them of account 1. Of every ten one is a void, which is no payment.
const fill = `
  insert into attempt (account_id, merchant_number, kind, total_minor, fee_minor, currency, acquirer_ref,
    subject_ref, policy, accepts_partial, avs_needed, cvv_needed, following, details, state, fence,
    lease_until, approved_minor, created_at, status, changed_at)
  select case when n % 5 = 0 then 2 + n / 5 % 20 else 1 end, 1 + n % 50,
    case when n % 10 = 9 then 'void' else 'sale' end, 1000 + n % 5000, 0, 'USD', 'ref-' || n, 'ref-' || n,
    'resolve', false, 'none', false, '[]',
    jsonb_build_object('clientRef', 'order-' || n, 'guid', 'basket-' || n, 'consentId', '',
      'lastFour', lpad((n * 7 % 10000)::text, 4, '0'), 'holderLastName', 'Payer' || lpad(n::text, 5, '0'),
      'street', repeat('1 Elm Street ', 10)),
    'approved', 1, at, 1000 + n % 5000, at, case when n % 10 = 9 then null else 'open' end, at
  from (select n, timestamptz '2026-01-15' + n * interval '1051 seconds' as at
    from generate_series(1, ${payments}) n) numbered`

const batches = `insert into batch_item (payment_id, batch_id)
  select id, id / 100 from generate_series(1, 20000) id`

// Kinds of query, and the index that finds the attempt of each.
const ledQueries: readonly (readonly [string, string, string])[] = [
  ['by transaction', '(H=4321)', 'attempt_pkey'],
  ['by day and merchant', "(A=22)&&(C>='2026-06-01')&&(C<'2026-06-02')", 'attempt_by_time'],
  ['by amount and day', "(L=22.50)&&(C>='2026-06-01')&&(C<'2026-06-02')", 'attempt_by_time'],
  ['by last name', "(D='Payer04321')", 'attempt_by_card'],
  ['by last name prefix', "(D LIKE 'Payer0432%')", 'attempt_by_card'],
  ['by last four', '(Q=0247)', 'attempt_by_card'],
  ['by reference', "(M='order-4321')", 'attempt_by_reference'],
  ['by second reference', "(N='basket-4321')", 'attempt_by_reference'],
  ['by batch', '(F=12)', 'attempt_pkey'],
]

describe('with many payments', () => {
  const database = useTestDatabase()
  const world = useWorldOn(database)
  before(async () => {
    const client = new pg.Client({ ...database().connection })
    await client.connect()
    await client.query(fill)
    await client.query(batches)
    await client.query('vacuum analyze attempt, batch_item')
    await client.end()
  })
  const caller = () => searcherOf(1n, world().clock.now())

  for (const [words, query, index] of ledQueries) {
    test(`a payment is found ${words} by an index`, async () => {
      const { db, plans } = tellingPlans(database().db)
      const found = await queryTransactions({ ...world(), db }, caller(), query)
      assert(found.ok)
      const [plan = ''] = plans
      assert.match(plan, new RegExp(index), plan)
      assert.doesNotMatch(plan, /Seq Scan on attempt/, plan)
    })
  }

  test('the newest payments are found without a look at all others', async () => {
    const { db, plans } = tellingPlans(database().db)
    const newest = { account: accountId(1n), merchant: null, since: null, filter: everything, most: 100 }
    await db.inTransaction((tx) => searchTransactions(tx, newest))
    const [plan = ''] = plans
    assert.match(plan, /Index Scan Backward using attempt_by_time/, plan)
    assert.doesNotMatch(plan, /Seq Scan on attempt|Append/, plan)
  })
})
