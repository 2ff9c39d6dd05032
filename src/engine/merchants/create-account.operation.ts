import type { EngineContext } from '#engine/context.ts'
import { type Account, type AccountSettings, isAccountCode } from '#engine/merchants/account.ts'
import { insertAccount } from '#engine/merchants/account.store.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Queryable } from '#platform/postgres/database.ts'

type Needs = Pick<EngineContext, 'clock'> & { readonly db: Queryable }

// Makes an account. Its code is chosen by the caller, because it never changes afterwards.
export async function createAccount(
  needs: Needs,
  { accountCode, settings }: { accountCode: string; settings: AccountSettings },
): Promise<Result<Account, 'account_code_malformed' | 'account_code_taken'>> {
  if (!isAccountCode(accountCode)) return refuse('account_code_malformed')
  const account = await insertAccount(needs.db, { accountCode, settings, at: needs.clock.now() })
  return account ? ok(account) : refuse('account_code_taken')
}
