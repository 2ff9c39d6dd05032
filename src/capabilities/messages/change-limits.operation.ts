import { findLimits, setLimits } from '#capabilities/messages/limit.store.ts'
import { defaultLimits, type MessageLimits } from '#capabilities/messages/limits.ts'
import type { MessageNeeds } from '#capabilities/messages/message-needs.ts'
import { isCountry } from '#capabilities/messages/recipient.ts'
import type { AccountId } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Queryable } from '#platform/postgres/database.ts'

type Needs = { readonly db: Queryable } & Pick<MessageNeeds, 'clock'>

const limitMax = 1_000_000

export async function showLimits({ db }: Pick<Needs, 'db'>, accountId: AccountId): Promise<MessageLimits> {
  return (await findLimits(db, accountId)) ?? defaultLimits
}

// Changes what is named and leaves the rest.
export async function changeLimits(
  { db, clock }: Needs,
  accountId: AccountId,
  changes: Partial<MessageLimits>,
): Promise<Result<MessageLimits, 'limit_refused'>> {
  const { countries = [], ...numbers } = changes
  const unknown = countries.find((code) => !isCountry(code))
  if (unknown !== undefined) return refuse('limit_refused', { problem: `${unknown} is no country` })
  const odd = Object.values(numbers).find(
    (limit) => !Number.isInteger(limit) || limit < 0 || limit > limitMax,
  )
  if (odd !== undefined)
    return refuse('limit_refused', { problem: `${odd} is no number from 0 to ${limitMax}` })
  const limits = { ...(await showLimits({ db }, accountId)), ...changes }
  await setLimits(db, { accountId, limits, at: clock.now() })
  return ok(limits)
}
