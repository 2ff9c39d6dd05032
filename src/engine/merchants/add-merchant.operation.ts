import type { EngineContext } from '#engine/context.ts'
import type { Merchant, MerchantSettings } from '#engine/merchants/merchant.ts'
import { insertMerchant } from '#engine/merchants/merchant.store.ts'
import { problemOf, type SettingsProblem } from '#engine/merchants/settings-problem.ts'
import type { AccountId } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Queryable } from '#platform/postgres/database.ts'

type Needs = Pick<EngineContext, 'clock'> & { readonly db: Queryable }

// Adds a merchant record under the account's next number.
export async function addMerchant(
  needs: Needs,
  { account, settings }: { account: AccountId; settings: MerchantSettings },
): Promise<Result<Merchant, 'account_not_found' | SettingsProblem>> {
  const problem = problemOf(settings)
  if (problem) return refuse(problem)
  const merchant = await insertMerchant(needs.db, { account, settings, at: needs.clock.now() })
  return merchant ? ok(merchant) : refuse('account_not_found')
}
