import type { Chart } from '#capabilities/search/chart.ts'
import { type FoundRecords, foundRecords, recordsMax } from '#capabilities/search/found-records.ts'
import { inLimitedTime, patienceMs } from '#capabilities/search/search-patience.store.ts'
import { type QueryFault, type Search, understandQuery } from '#capabilities/search/understand-query.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import { isTooSlow, type Tx } from '#platform/postgres/database.ts'

export type SearchNeeds = Pick<EngineContext, 'db' | 'accountClock'>
export type SearchFault = QueryFault | 'query_too_slow'

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
  { db, accountClock }: SearchNeeds,
  { accountId: account, merchantNumber: merchant, timeZone: zone }: Caller,
  { chart, find, query }: Searching<Field, One> & { readonly query: string },
): Promise<Result<FoundRecords<One>, SearchFault>> {
  const search = understandQuery(query, chart, { zone, now: accountClock.now(account) })
  if (!search.ok) return search
  return findWithin({ db }, { account, merchant }, { search: search.value, find })
}

type Finding<Field extends string, One> = Pick<Searching<Field, One>, 'find'> & {
  readonly search: Search<Field>
}

// The same for a query that has been understood already.
export async function findWithin<Field extends string, One>(
  { db }: Pick<SearchNeeds, 'db'>,
  whose: Omit<Scope, 'most'>,
  { search, find }: Finding<Field, One>,
): Promise<Result<FoundRecords<One>, 'query_too_slow'>> {
  try {
    const scope = { ...whose, most: recordsMax + 1 }
    const found = await inLimitedTime(db, (tx) => find(tx, { ...search, ...scope }))
    return ok(foundRecords(found, search.since !== null))
  } catch (error) {
    if (!isTooSlow(error)) throw error
    return refuse('query_too_slow', { seconds: patienceMs / 1_000 })
  }
}
