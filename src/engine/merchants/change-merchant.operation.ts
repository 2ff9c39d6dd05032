import type { EngineContext } from '#engine/context.ts'
import { changeSettings } from '#engine/merchants/change-settings.ts'
import { type Merchant, merchantNumbered, type MerchantSettings } from '#engine/merchants/merchant.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { changeMerchantSettings, hasCharges, isNewCurrency } from '#engine/merchants/merchant.store.ts'
import { problemOf, type SettingsProblem } from '#engine/merchants/settings-problem.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

type Needs = Pick<EngineContext, 'db' | 'clock' | 'merchantReads'>
type Refusals =
  | 'merchant_not_found'
  | 'amount_not_in_currency'
  | 'record_has_charges'
  | 'currency_in_use'
  | SettingsProblem
type Change = { account: AccountId; merchant: MerchantNumber; changes: Partial<MerchantSettings> }

// Changes the settings that are named and leaves the others as they are.
export async function changeMerchant(
  needs: Needs,
  { account, merchant, changes }: Change,
): Promise<Result<Merchant, Refusals>> {
  const current = merchantNumbered(await listMerchants(needs, account), merchant)
  if (!current) return refuse('merchant_not_found')
  const settings = changeSettings(current, changes)
  if (!settings.ok) return settings
  const problem = problemOf(settings.value)
  if (problem) return refuse(problem)
  const stuck = await findStuck(needs, current, settings.value)
  if (stuck) return refuse(stuck)
  const changed = await changeMerchantSettings(needs.db, {
    account,
    merchant,
    settings: settings.value,
    at: needs.clock.now(),
  })
  return changed ? ok(changed) : refuse('merchant_not_found')
}

// Orders and sales get to the bank in different ways: neither may be left behind, nor go both. And a record
// is settled in its currency: what was charged in another one waits until it has that one again, which it may
// always get.
async function findStuck({ db }: Needs, current: Merchant, wished: MerchantSettings) {
  const record = { account: current.accountId, merchant: current.merchantNumber }
  if (wished.isInternational !== current.isInternational && (await hasCharges(db, record)))
    return 'record_has_charges' as const
  const { currency } = wished
  if (currency !== current.currency && (await isNewCurrency(db, { ...record, currency })))
    return 'currency_in_use' as const
  return null
}
