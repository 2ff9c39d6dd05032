import { consentChart } from '#capabilities/search/consent-chart.ts'
import { searchAnnualConsents } from '#capabilities/search/consent-search.store.ts'
import type { FoundConsent } from '#capabilities/search/found-consent.ts'
import type { FoundRecords, RecordQuery } from '#capabilities/search/found-records.ts'
import { positionInTime } from '#capabilities/search/position.ts'
import {
  type SearchFault,
  type SearchNeeds,
  searchRecords,
} from '#capabilities/search/search-records.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { Result } from '#kernel/result.ts'

// Finds cards on file by the letters of their chart, newest first.
export function queryAnnualConsents(
  needs: SearchNeeds,
  caller: Caller,
  query: RecordQuery,
): Promise<Result<FoundRecords<FoundConsent>, SearchFault>> {
  return searchRecords(needs, caller, query, {
    subject: 'annual-consent',
    chart: consentChart,
    find: searchAnnualConsents,
    positionOf: ({ createdAt, consentId }) => positionInTime(createdAt, consentId),
  })
}
