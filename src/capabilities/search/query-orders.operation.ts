import { type Expression, termsOf } from '#capabilities/search/expression.ts'
import type { FoundOrderRecord } from '#capabilities/search/found-order.ts'
import type { FoundRecords, RecordQuery } from '#capabilities/search/found-records.ts'
import { governingChart } from '#capabilities/search/governing-chart.ts'
import { orderCharts } from '#capabilities/search/order-charts.ts'
import { type AnyOrderField, positionOfOrder, searchOrders } from '#capabilities/search/order-search.store.ts'
import { parseExpression } from '#capabilities/search/parse-expression.ts'
import {
  searchByExpression,
  type SearchFault,
  type SearchNeeds,
} from '#capabilities/search/search-records.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { internationalRecordsOf } from '#engine/merchants/international-records.operation.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { refuse, type Result } from '#kernel/result.ts'

type Needs = SearchNeeds & Pick<EngineContext, 'merchantReads'>
type OrderSearchFault = SearchFault | 'query_mixes_charts' | 'no_international_record' | 'record_domestic'

// Finds the steps of international orders by whichever of the two charts the expression is written in.
export async function queryOrders(
  needs: Needs,
  caller: Caller,
  { query, ...page }: RecordQuery,
): Promise<Result<FoundRecords<FoundOrderRecord>, OrderSearchFault>> {
  const records = await internationalRecordsOf(needs, caller)
  if (!records.ok) return records
  const expression = parseExpression(query)
  if (!expression.ok) return expression
  const chart = governingChart(expression.value, orderCharts)
  if (!chart.ok) return chart
  const domestic = domesticNamedIn(expression.value, records.value.all)
  if (domestic !== null) return refuse('record_domestic', { merchant: domestic })
  return searchByExpression<AnyOrderField, FoundOrderRecord>(
    needs,
    caller,
    { ...page, expression: expression.value },
    { subject: 'order', chart: chart.value, find: searchOrders, positionOf: positionOfOrder },
  )
}

// Letter A is the merchant record in both charts.
function domesticNamedIn(expression: Expression, records: readonly Merchant[]): number | null {
  const named = termsOf(expression)
    .filter(({ letter, operator }) => letter === 'A' && operator === '=')
    .map(({ value }) => Number(value.text))
  const domestic = records.filter(({ isInternational }) => !isInternational)
  return domestic.find(({ merchantNumber }) => named.includes(merchantNumber))?.merchantNumber ?? null
}
