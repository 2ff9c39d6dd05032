import { type FirstKey, firstIntegratorKey } from '#capabilities/forms/integrator-keys.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import type { Account, AccountSettings } from '#engine/merchants/account.ts'
import { createAccount } from '#engine/merchants/create-account.operation.ts'
import { ok, type Result } from '#kernel/result.ts'

type Needs = Pick<EngineContext, 'db' | 'clock' | 'accountClock' | 'keyRing'>
type NewAccount = { readonly accountCode: string; readonly settings: AccountSettings }
type OpenedAccount = { readonly account: Account; readonly firstKey: FirstKey }

// An account with its first integrator key: neither is made without the other.
export async function openAccount(
  needs: Needs,
  wanted: NewAccount,
): Promise<Result<OpenedAccount, 'account_code_malformed' | 'account_code_taken'>> {
  return needs.db.inTransaction(async (tx) => {
    const inside = { ...needs, db: tx }
    const made = await createAccount(inside, wanted)
    if (!made.ok) return made
    const firstKey = await firstIntegratorKey(inside, made.value.accountId)
    return ok({ account: made.value, firstKey })
  })
}
