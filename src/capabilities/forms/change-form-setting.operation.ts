import { findFormSetting, type FormSetting, putFormSetting } from '#capabilities/forms/form-setting.store.ts'
import { parseOrigin } from '#capabilities/forms/parse-origin.ts'
import type { EngineContext } from '#engine/context.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
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
}

export async function changeFormSetting(
  needs: Needs,
  { account, merchant, phone, origins }: SettingChange,
): Promise<Result<FormSetting, 'merchant_not_found' | 'no_origin'>> {
  const merchants = await listMerchants(needs, account)
  if (!merchants.some(({ merchantNumber }) => merchantNumber === merchant))
    return refuse('merchant_not_found', { merchant })
  const current = await findFormSetting(needs.db, { account, merchant })
  const named = origins === null ? current.origins : partsOf(origins)
  const isSandbox = needs.keyRing.mode === 'sandbox'
  const parsed = named.map((one) => parseOrigin(one, { isSandbox }))
  const wrong = named.find((_, at) => parsed[at] === null)
  if (wrong !== undefined) return refuse('no_origin', { origin: wrong })
  const changed = { phone: phone ?? current.phone, origins: parsed.filter((one) => one !== null) }
  await putFormSetting(needs.db, { account, merchant, ...changed, at: needs.accountClock.now(account) })
  return ok(changed)
}

function partsOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
