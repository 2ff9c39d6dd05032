import type { EngineContext } from '#engine/context.ts'
import type { Account } from '#engine/merchants/account.ts'
import { findAccountByCode, loadAccounts } from '#engine/merchants/account.store.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

type Needs = Pick<EngineContext, 'db'>

export async function findAccount(
  needs: Needs,
  accountCode: string,
): Promise<Result<Account, 'account_not_found'>> {
  const account = await findAccountByCode(needs.db, accountCode)
  return account ? ok(account) : refuse('account_not_found')
}

export function listAccounts(needs: Needs): Promise<readonly Account[]> {
  return loadAccounts(needs.db)
}
