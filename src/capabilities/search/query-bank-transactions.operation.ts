import { bankTransactionChart } from '#capabilities/search/bank-transaction-chart.ts'
import { searchBankTransactions } from '#capabilities/search/bank-transaction-search.store.ts'
import type { FoundBankTransaction } from '#capabilities/search/found-bank-transaction.ts'
import type { FoundRecords, RecordQuery } from '#capabilities/search/found-records.ts'
import { positionInTime } from '#capabilities/search/position.ts'
import {
  type SearchFault,
  type SearchNeeds,
  searchRecords,
} from '#capabilities/search/search-records.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { Result } from '#kernel/result.ts'

// Finds debits and credits of bank accounts by the letters of their chart, newest first.
export function queryBankTransactions(
  needs: SearchNeeds,
  caller: Caller,
  query: RecordQuery,
): Promise<Result<FoundRecords<FoundBankTransaction>, SearchFault>> {
  return searchRecords(needs, caller, query, {
    subject: 'bank-transaction',
    chart: bankTransactionChart,
    find: searchBankTransactions,
    positionOf: ({ createdAt, transactionId }) => positionInTime(createdAt, transactionId),
  })
}
