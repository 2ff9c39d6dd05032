import { consentChart } from '#capabilities/search/consent-chart.ts'
import { searchRecurringConsents } from '#capabilities/search/recurring-consent-search.store.ts'
import type { FoundRecurringConsent } from '#capabilities/search/found-consent.ts'
import type { FoundRecords, RecordQuery } from '#capabilities/search/found-records.ts'
import { positionInTime } from '#capabilities/search/position.ts'
import {
  type SearchFault,
  type SearchNeeds,
  searchRecords,
} from '#capabilities/search/search-records.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { Result } from '#kernel/result.ts'

// Finds consents with a payment plan by the letters of their chart, newest first.
export function queryRecurringConsents(
  needs: SearchNeeds,
  caller: Caller,
  query: RecordQuery,
): Promise<Result<FoundRecords<FoundRecurringConsent>, SearchFault>> {
  return searchRecords(needs, caller, query, {
    subject: 'recurring-consent',
    chart: consentChart,
    find: searchRecurringConsents,
    positionOf: ({ createdAt, consentId }) => positionInTime(createdAt, consentId),
  })
}
