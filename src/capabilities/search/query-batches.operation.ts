import { batchChart } from '#capabilities/search/batch-chart.ts'
import { searchBatches } from '#capabilities/search/batch-search.store.ts'
import type { FoundBatch } from '#capabilities/search/found-batch.ts'
import type { FoundRecords, RecordQuery } from '#capabilities/search/found-records.ts'
import {
  type SearchFault,
  type SearchNeeds,
  searchRecords,
} from '#capabilities/search/search-records.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { Result } from '#kernel/result.ts'

// Finds batches by the letters of their chart, newest first.
export function queryBatches(
  needs: SearchNeeds,
  caller: Caller,
  query: RecordQuery,
): Promise<Result<FoundRecords<FoundBatch>, SearchFault>> {
  return searchRecords(needs, caller, query, {
    subject: 'batch',
    chart: batchChart,
    find: searchBatches,
    positionOf: ({ batchId }) => [batchId, 0n],
  })
}
