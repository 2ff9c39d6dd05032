import { SearchTurns } from '#capabilities/search/search-turns.ts'
import { queryOrders } from '#capabilities/search/query-orders.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { AccountClocks } from '#engine/account-clock/account-clock.ts'
import { merchantReader, rememberingMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { systemClock } from '#platform/clock.ts'
import type { Database } from '#platform/postgres/database.ts'
import { fillOrders, orderFacts } from '../test/support/many-orders.ts'
import { merchantsEach } from '../test/support/many-records.ts'
import { firstPage } from '../test/support/searching.ts'
import type { Scenario } from './scenario.ts'
import { dayOf, type Kind, measureSearches } from './searches.ts'

export const ordersScenario: Scenario = {
  name: 'orders',
  extents: ['smoke', 'quick', 'full'],
  quickSeconds: 60,
  run: (bench) =>
    measureSearches(bench, {
      subject: 'orders',
      table: 'order_record',
      kinds,
      fill: (client, rows, now) => fillOrders(client, Math.ceil(rows / recordsEach), now),
      searchOn,
    }),
}

const recordsEach = 3

const kinds: readonly Kind[] = [
  { what: 'transaction', queryFor: (order) => `(F='${orderFacts.transaction(order)}')` },
  {
    what: 'day and merchant, final records',
    queryFor: (order, many) => `(A=${1 + (order % merchantsEach)})&&${dayOf(order, many)}&&(B=3)&&(E=1)`,
  },
  {
    what: 'last name prefix',
    queryFor: (order) => `(D LIKE '${orderFacts.lastName(order).slice(0, -1)}%')&&(B=3)`,
  },
  { what: 'last four', queryFor: (order) => `(Q=${orderFacts.lastFour(order)})&&(B=3)` },
  { what: 'reference', queryFor: (order) => `(M='${orderFacts.reference(order)}')` },
  {
    what: 'amount and day',
    queryFor: (order, many) => `(L=${orderFacts.amount(order)})&&${dayOf(order, many)}`,
  },
  {
    what: 'end of a last name',
    queryFor: (order) => `(D LIKE '%${orderFacts.lastName(order).slice(-4)}')&&(B=3)`,
    isUnled: true,
  },
]

function searchOn(db: Database) {
  const merchantReads = rememberingMerchants(merchantReader({ db }), { clock: systemClock })
  const searchTurns = new SearchTurns({ atOnce: Infinity })
  const needs = { db, accountClock: new AccountClocks(systemClock), merchantReads, searchTurns }
  return (caller: Caller, query: string) => queryOrders(needs, caller, firstPage(query))
}
