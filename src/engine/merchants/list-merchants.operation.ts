import type { EngineContext } from '#engine/context.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { loadMerchants } from '#engine/merchants/merchant.store.ts'
import type { AccountId } from '#kernel/ids.ts'

export function listMerchants(
  needs: Pick<EngineContext, 'db'>,
  account: AccountId,
): Promise<readonly Merchant[]> {
  return loadMerchants(needs.db, account)
}
