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

const portion = 5_000

// Gives the bank everything up to a cut-off, in portions, so that nobody waits for a lock of a whole day.
// Answers how many records it took. What is being voided at this moment is left for the next cut-off.
export async function closeBankDay(
  { db }: Needs,
  { accountId: account, merchantNumber: merchant }: OpenBankDay,
  { cutOff, signal }: { readonly cutOff: Temporal.Instant; readonly signal: AbortSignal },
): Promise<number> {
  let taken = 0
  let last = portion
  while (last === portion && !signal.aborted) {
    last = await takeToBank(db, { account, merchant, at: cutOff, most: portion })
    taken += last
  }
  return taken
}
