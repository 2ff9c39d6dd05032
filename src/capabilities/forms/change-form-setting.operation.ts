import { findFormSetting, type FormSetting, putFormSetting } from '#capabilities/forms/form-setting.store.ts'
import { parseOrigin } from '#capabilities/forms/parse-origin.ts'
import type { EngineContext } from '#engine/context.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { merchantNumbered } from '#engine/merchants/merchant.ts'
import { brandNames, type CardBrand } from '#kernel/card-brand.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

type Needs = Pick<EngineContext, 'db' | 'accountClock' | 'merchantReads' | 'keyRing'>

export type SettingChange = {
  readonly account: AccountId
  readonly merchant: MerchantNumber
  // null: as it is.
  readonly phone: string | null
  // Separated by commas.
  readonly origins: string | null
  // Card networks, separated by commas; empty: all.
  readonly brands: string | null
}

export async function changeFormSetting(
  needs: Needs,
  { account, merchant, phone, origins, brands }: SettingChange,
): Promise<Result<FormSetting, 'merchant_not_found' | 'no_origin' | 'no_brand'>> {
  const merchants = await listMerchants(needs, account)
  if (!merchantNumbered(merchants, merchant)) return refuse('merchant_not_found', { merchant })
  const current = await findFormSetting(needs.db, { account, merchant })
  const named = origins === null ? current.origins : partsOf(origins)
  const isSandbox = needs.keyRing.mode === 'sandbox'
  const parsed = named.map((one) => parseOrigin(one, { isSandbox }))
  const wrong = named.find((_, at) => parsed[at] === null)
  if (wrong !== undefined) return refuse('no_origin', { origin: wrong })
  const taken = brands === null ? current.brands : partsOf(brands.toUpperCase())
  const strange = taken.find((one) => !isBrand(one))
  if (strange !== undefined) return refuse('no_brand', { brand: strange })
  const changed = {
    phone: phone ?? current.phone,
    origins: parsed.filter((one) => one !== null),
    brands: taken.filter(isBrand),
  }
  await putFormSetting(needs.db, { account, merchant, ...changed, at: needs.accountClock.now(account) })
  return ok(changed)
}

function isBrand(text: string): text is CardBrand {
  return text !== '' && Object.hasOwn(brandNames, text)
}

function partsOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
