import type { FoundRecords, RecordQuery } from '#capabilities/search/found-records.ts'
import type { FoundTransaction } from '#capabilities/search/found-transaction.ts'
import { positionInTime } from '#capabilities/search/position.ts'
import {
  type SearchFault,
  type SearchNeeds,
  searchRecords,
} from '#capabilities/search/search-records.operation.ts'
import { transactionChart } from '#capabilities/search/transaction-chart.ts'
import { searchTransactions } from '#capabilities/search/transaction-search.store.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { Result } from '#kernel/result.ts'

// Finds sales and credits by the letters of their chart, newest first.
export function queryTransactions(
  needs: SearchNeeds,
  caller: Caller,
  query: RecordQuery,
): Promise<Result<FoundRecords<FoundTransaction>, SearchFault>> {
  return searchRecords(needs, caller, query, {
    subject: 'transaction',
    chart: transactionChart,
    find: searchTransactions,
    positionOf: ({ createdAt, transactionId }) => positionInTime(createdAt, transactionId),
  })
}
