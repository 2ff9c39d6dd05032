import type { ShownInstalment } from '#capabilities/recurring/scheduled-payment.wire.ts'
import type { FoundRecords, RecordQuery } from '#capabilities/search/found-records.ts'
import { scheduleChart } from '#capabilities/search/schedule-chart.ts'
import { searchSchedules } from '#capabilities/search/schedule-search.store.ts'
import {
  type SearchFault,
  type SearchNeeds,
  searchRecords,
} from '#capabilities/search/search-records.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { Result } from '#kernel/result.ts'

// Finds payments of plans by the letters of their chart, those due last first.
export function querySchedules(
  needs: SearchNeeds,
  caller: Caller,
  query: RecordQuery,
): Promise<Result<FoundRecords<ShownInstalment>, SearchFault>> {
  return searchRecords(needs, caller, query, {
    subject: 'schedule',
    chart: scheduleChart,
    find: searchSchedules,
    positionOf: ({ planId, paymentNumber }) => [planId, BigInt(paymentNumber)],
  })
}
