import type { Account, AccountState } from '#engine/merchants/account.ts'
import { changeAccountState } from '#engine/merchants/change-account-state.operation.ts'
import type { SessionNeeds } from '#capabilities/sessions/session-needs.ts'
import { endAccountSessions } from '#capabilities/sessions/session.store.ts'
import { clearAccountSignInFailures } from '#capabilities/sessions/sign-in.store.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

type Needs = Pick<SessionNeeds, 'db' | 'clock'>

// Locks, unlocks or closes an account. Locking and closing end its sessions in the same commit; unlocking
// also forgets failed sign-ins, so that it helps an account that was locked out by guessers.
export async function lockAccount(
  needs: Needs,
  { account, state }: { account: Account; state: AccountState },
): Promise<Result<AccountState, 'account_closed'>> {
  return needs.db.inTransaction(async (tx) => {
    const change = { account: account.accountId, state, at: needs.clock.now() }
    if (!(await changeAccountState(tx, change))) return refuse('account_closed')
    if (state === 'open') await clearAccountSignInFailures(tx, account.accountCode)
    else await endAccountSessions(tx, account.accountId)
    return ok(state)
  })
}
