import type { AccountState } from '#engine/merchants/account.ts'
import { setAccountState } from '#engine/merchants/account.store.ts'
import type { AccountId } from '#kernel/ids.ts'
import type { Tx } from '#platform/postgres/database.ts'

// Part of a transaction of the caller's, because whatever else must end with the account ends in the same
// commit.
export function changeAccountState(
  tx: Tx,
  change: { account: AccountId; state: AccountState; at: Temporal.Instant },
): Promise<boolean> {
  return setAccountState(tx, change)
}
