import type { Chart } from '#capabilities/search/chart.ts'
import { printCursor, readCursor } from '#capabilities/search/cursor.operation.ts'
import type { Expression } from '#capabilities/search/expression.ts'
import type { Filter } from '#capabilities/search/filter.ts'
import type { FoundRecords, RecordQuery } from '#capabilities/search/found-records.ts'
import { narrowerTerm } from '#capabilities/search/narrower-term.ts'
import { parseExpression, type SyntaxFault } from '#capabilities/search/parse-expression.ts'
import type { Position } from '#capabilities/search/position.ts'
import { type MeaningFault, readMeaning } from '#capabilities/search/read-meaning.ts'
import { inLimitedTime } from '#capabilities/search/search-patience.store.ts'
import { patienceMs, type SearchTurns } from '#capabilities/search/search-turns.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { isTooSlow } from '#platform/postgres/failures.ts'

export type SearchNeeds = Pick<EngineContext, 'db' | 'accountClock'> & {
  readonly searchTurns: SearchTurns
}
export type SearchFault =
  | SyntaxFault
  | MeaningFault
  | 'query_too_slow'
  | 'rate_limited'
  | 'value_out_of_range'

// What a store looks for: the first records that fit, in the order of the search.
export type Search<Field extends string> = {
  readonly account: AccountId
  // The only merchant record whose records are shown; null for all.
  readonly merchant: MerchantNumber | null
  readonly filter: Filter<Field>
  // Behind which they begin; null for the first page.
  readonly after: Position | null
  readonly most: number
}

// A kind of records that is searched.
export type Searching<Field extends string, One> = {
  // Part of cursors.
  readonly subject: string
  readonly chart: Chart<Field>
  readonly find: (tx: Tx, search: Search<Field>) => Promise<readonly One[]>
  readonly positionOf: (record: One) => Position
}

type Page = Pick<RecordQuery, 'pageSize' | 'cursor'>

// Every query of records: read by its chart, looked up within the caller's account, answered in pages.
export async function searchRecords<Field extends string, One>(
  needs: SearchNeeds,
  caller: Caller,
  { query, ...page }: RecordQuery,
  searching: Searching<Field, One>,
): Promise<Result<FoundRecords<One>, SearchFault>> {
  const expression = parseExpression(query)
  if (!expression.ok) return expression
  return searchByExpression(needs, caller, { ...page, expression: expression.value }, searching)
}

// The same for an expression that has been read already.
export async function searchByExpression<Field extends string, One>(
  { db, accountClock, searchTurns }: SearchNeeds,
  { accountId: account, merchantNumber: merchant, timeZone: zone }: Caller,
  { expression, pageSize, cursor }: Page & { readonly expression: Expression },
  { subject, chart, find, positionOf }: Searching<Field, One>,
): Promise<Result<FoundRecords<One>, SearchFault>> {
  const filter = readMeaning(expression, chart, zone)
  if (!filter.ok) return filter
  const owner = { account, subject, expression }
  const after = cursor === '' ? null : readCursor(cursor, owner)
  if (cursor !== '' && !after) return foreignCursor
  if (!(await searchTurns.take(account))) return refuse('rate_limited', { seconds: 1 })
  // One more than the page holds, to know whether there are more.
  const search = { account, merchant, filter: filter.value, after, most: pageSize + 1 }
  const looking = inTime(() => inLimitedTime(db, (tx) => find(tx, search)))
  const found = await looking.finally(() => searchTurns.leave(account))
  if (!found) {
    const today = accountClock.now(account).toZonedDateTimeISO(zone).toPlainDate()
    const term = narrowerTerm(filter.value, chart, { zone, today })
    return refuse('query_too_slow', { seconds: patienceMs / 1_000, term })
  }
  const records = found.slice(0, pageSize)
  const last = found.length > pageSize ? records.at(-1) : undefined
  return ok({ records, nextCursor: last ? printCursor(positionOf(last), owner) : null })
}

const foreignCursor = refuse('value_out_of_range', {
  problem: 'Cursor is not a NextCursor that was answered to this Query; without Cursor it begins again',
})

// null: the server has given it up.
async function inTime<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (isTooSlow(error)) return null
    throw error
  }
}
