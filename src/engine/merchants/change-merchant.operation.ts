import type { EngineContext } from '#engine/context.ts'
import type { Merchant, MerchantSettings } from '#engine/merchants/merchant.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { changeMerchantSettings } from '#engine/merchants/merchant.store.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

type Needs = Pick<EngineContext, 'db' | 'clock' | 'merchantReads'>
type Change = { account: AccountId; merchant: MerchantNumber; changes: Partial<MerchantSettings> }

// Changes the settings that are named and leaves the others as they are.
export async function changeMerchant(
  needs: Needs,
  { account, merchant, changes }: Change,
): Promise<Result<Merchant, 'merchant_not_found'>> {
  const current = (await listMerchants(needs, account)).find(
    ({ merchantNumber }) => merchantNumber === merchant,
  )
  if (!current) return refuse('merchant_not_found')
  const settings = { ...current, ...changes }
  const changed = await changeMerchantSettings(needs.db, {
    account,
    merchant,
    settings,
    at: needs.clock.now(),
  })
  return changed ? ok(changed) : refuse('merchant_not_found')
}
