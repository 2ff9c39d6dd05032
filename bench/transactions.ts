import { SearchTurns } from '#capabilities/search/search-turns.ts'
import { queryTransactions } from '#capabilities/search/query-transactions.operation.ts'
import { AccountClocks } from '#engine/account-clock/account-clock.ts'
import { systemClock } from '#platform/clock.ts'
import { fillPayments, paymentFacts } from '../test/support/many-payments.ts'
import { firstPage } from '../test/support/searching.ts'
import type { Scenario } from './scenario.ts'
import { dayOf, type Kind, measureSearches } from './searches.ts'

const accountClock = new AccountClocks(systemClock)
const searchTurns = new SearchTurns({ atOnce: Infinity })

export const transactionsScenario: Scenario = {
  name: 'transactions',
  extents: ['smoke', 'quick', 'full'],
  quickSeconds: 60,
  run: (bench) =>
    measureSearches(bench, {
      subject: 'transactions',
      table: 'attempt',
      kinds,
      fill: fillPayments,
      searchOn: (db) => (caller, query) =>
        queryTransactions({ db, accountClock, searchTurns }, caller, firstPage(query)),
    }),
}

const kinds: readonly Kind[] = [
  { what: 'transaction', queryFor: (n) => `(H=${n})` },
  {
    what: 'day and merchant',
    queryFor: (n, many) => `(A=${paymentFacts.merchant(n)})&&${dayOf(n, many)}`,
  },
  {
    what: 'amount and day',
    queryFor: (n, many) => `(L=${paymentFacts.amount(n)})&&${dayOf(n, many)}`,
  },
  { what: 'last name prefix', queryFor: (n) => `(D LIKE '${paymentFacts.lastName(n).slice(0, -1)}%')` },
  { what: 'last four', queryFor: (n) => `(Q=${paymentFacts.lastFour(n)})` },
  { what: 'reference', queryFor: (n) => `(M='${paymentFacts.reference(n)}')` },
  // The first half is settled.
  { what: 'batch', queryFor: (n) => `(F=${paymentFacts.batch(1 + 5 * Math.floor(n / 10))})` },
  {
    what: 'end of a last name',
    queryFor: (n) => `(D LIKE '%${paymentFacts.lastName(n).slice(-4)}')`,
    isUnled: true,
  },
]
