import { type Awaiting, listAwaiting, takeToBank } from '#engine/orders/order-record.store.ts'
import { accountId, type AccountId } from '#kernel/ids.ts'
import type { Queryable } from '#platform/postgres/database.ts'

type Needs = { readonly db: Queryable }

// A merchant record with orders whose money has not moved yet.
export type OpenBankDay = {
  readonly accountId: AccountId
  readonly merchantNumber: number
  readonly timeZone: string
  // When the oldest of them was settled or credited.
  readonly oldestAt: Temporal.Instant
}

// null: of all accounts.
export async function listOpenBankDays(
  { db }: Needs,
  account: AccountId | null,
): Promise<readonly OpenBankDay[]> {
  return (await listAwaiting(db, account)).map(dayFrom)
}

function dayFrom({ account, merchant, timeZone, oldestAt }: Awaiting): OpenBankDay {
  return { accountId: accountId(account), merchantNumber: merchant, timeZone, oldestAt }
}

// Gives the bank what waited for a cut-off, up to so much. Answers how many records it took. What is being
// voided at this moment is left for the next cut-off.
export function giveToBank(
  { db }: Needs,
  { accountId: account, merchantNumber: merchant }: OpenBankDay,
  { cutOff, most }: { readonly cutOff: Temporal.Instant; readonly most: number },
): Promise<number> {
  return takeToBank(db, { account, merchant, at: cutOff, most })
}
