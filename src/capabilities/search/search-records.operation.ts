import type { Chart } from '#capabilities/search/chart.ts'
import { type FoundRecords, foundRecords, recordsMax } from '#capabilities/search/found-records.ts'
import { inLimitedTime, patienceMs } from '#capabilities/search/search-patience.store.ts'
import { hasEnd } from '#capabilities/search/filter.ts'
import {
  daysMax,
  type QueryFault,
  type Search,
  type Understood,
  understandQuery,
} from '#capabilities/search/understand-query.ts'
import type { SearchTurns } from '#capabilities/search/search-turns.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { isTooSlow } from '#platform/postgres/failures.ts'

export type SearchNeeds = Pick<EngineContext, 'db' | 'accountClock'> & {
  readonly searchTurns: SearchTurns
}
type Unsearched = 'query_too_slow' | 'rate_limited'
export type SearchFault = QueryFault | Unsearched

// What a search is always restricted to.
export type Scope = {
  readonly account: AccountId
  // The only merchant record whose records are shown; null for all.
  readonly merchant: MerchantNumber | null
  readonly most: number
}

type Searching<Field extends string, One> = {
  readonly chart: Chart<Field>
  readonly find: (tx: Tx, search: Search<Field> & Scope) => Promise<readonly One[]>
}

// Every query of records: read by its chart, looked up within the caller's account, cut at the most.
export async function searchRecords<Field extends string, One>(
  { db, accountClock, searchTurns }: SearchNeeds,
  { accountId: account, merchantNumber: merchant, timeZone: zone }: Caller,
  { chart, find, query }: Searching<Field, One> & { readonly query: string },
): Promise<Result<FoundRecords<One>, SearchFault>> {
  const search = understandQuery(query, chart, { zone, now: accountClock.now(account) })
  if (!search.ok) return search
  return findWithin({ db, searchTurns }, { account, merchant }, { search: search.value, find })
}

type Finding<Field extends string, One> = Pick<Searching<Field, One>, 'find'> & {
  readonly search: Understood<Field>
}

// The same for a query that has been understood already. What takes too long is looked for once more among
// fewer of the newest days, as often as it takes.
export async function findWithin<Field extends string, One>(
  { db, searchTurns }: Pick<SearchNeeds, 'db' | 'searchTurns'>,
  whose: Omit<Scope, 'most'>,
  { search, find }: Finding<Field, One>,
): Promise<Result<FoundRecords<One>, Unsearched>> {
  const { filter, now } = search
  const scope = { ...whose, most: recordsMax + 1 }
  for (const days of spansOf(search)) {
    const since = days === null ? null : now.subtract({ hours: 24 * days })
    if (!(await searchTurns.take(whose.account))) return refuse('rate_limited', { seconds: 1 })
    const looking = inTime(() => inLimitedTime(db, (tx) => find(tx, { filter, since, ...scope })))
    const found = await looking.finally(() => searchTurns.leave(whose.account))
    if (found) return ok(foundRecords(found, days))
  }
  return refuse('query_too_slow', { seconds: patienceMs / 1_000 })
}

// A quarter of the time each.
const narrowerDays: readonly number[] = [92, 23, 6, 1]

// How many of the newest days are looked at, one try after the other. Nothing is narrowed that asks for a
// time that has ended: what it means would not be there.
function spansOf({ filter, recentDays }: Understood<string>): readonly (number | null)[] {
  if (recentDays === null && hasEnd(filter)) return [null]
  return recentDays === null ? [null, daysMax, ...narrowerDays] : [recentDays, ...narrowerDays]
}

// null: the server has given it up.
async function inTime<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (isTooSlow(error)) return null
    throw error
  }
}
