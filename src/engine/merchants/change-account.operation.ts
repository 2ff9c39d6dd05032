import type { EngineContext } from '#engine/context.ts'
import type { Account, AccountSettings } from '#engine/merchants/account.ts'
import { changeAccountSettings } from '#engine/merchants/account.store.ts'
import { findAccount } from '#engine/merchants/find-account.operation.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

type Needs = Pick<EngineContext, 'db' | 'clock'>

// Changes the settings that are named and leaves the others as they are.
export async function changeAccount(
  needs: Needs,
  { accountCode, changes }: { accountCode: string; changes: Partial<AccountSettings> },
): Promise<Result<Account, 'account_not_found'>> {
  const found = await findAccount(needs, accountCode)
  if (!found.ok) return found
  const { value: account } = found
  const changed = await changeAccountSettings(needs.db, {
    account: account.accountId,
    settings: { ...account, ...changes },
    at: needs.clock.now(),
  })
  return changed ? ok(changed) : refuse('account_not_found')
}
