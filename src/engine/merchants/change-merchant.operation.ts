import type { EngineContext } from '#engine/context.ts'
import { changeSettings } from '#engine/merchants/change-settings.ts'
import type { Merchant, MerchantSettings } from '#engine/merchants/merchant.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { changeMerchantSettings, hasCharges } from '#engine/merchants/merchant.store.ts'
import { problemOf, type SettingsProblem } from '#engine/merchants/settings-problem.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

type Needs = Pick<EngineContext, 'db' | 'clock' | 'merchantReads'>
type Refusals = 'merchant_not_found' | 'amount_not_in_currency' | 'record_has_charges' | SettingsProblem
type Change = { account: AccountId; merchant: MerchantNumber; changes: Partial<MerchantSettings> }

// Changes the settings that are named and leaves the others as they are.
export async function changeMerchant(
  needs: Needs,
  { account, merchant, changes }: Change,
): Promise<Result<Merchant, Refusals>> {
  const current = (await listMerchants(needs, account)).find(
    ({ merchantNumber }) => merchantNumber === merchant,
  )
  if (!current) return refuse('merchant_not_found')
  const settings = changeSettings(current, changes)
  if (!settings.ok) return settings
  const problem = problemOf(settings.value)
  if (problem) return refuse(problem)
  // Orders and sales get to the bank in different ways: neither may be left behind, nor go both.
  const isChanged = settings.value.isInternational !== current.isInternational
  if (isChanged && (await hasCharges(needs.db, { account, merchant }))) return refuse('record_has_charges')
  const changed = await changeMerchantSettings(needs.db, {
    account,
    merchant,
    settings: settings.value,
    at: needs.clock.now(),
  })
  return changed ? ok(changed) : refuse('merchant_not_found')
}
