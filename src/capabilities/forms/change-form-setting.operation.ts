import { type FetchedPicture, fetchPicture } from '#capabilities/forms/fetch-picture.operation.ts'
import { putPicture, removePicture } from '#capabilities/forms/form-picture.store.ts'
import { findFormSetting, type FormSetting, putFormSetting } from '#capabilities/forms/form-setting.store.ts'
import type { PictureKind } from '#capabilities/forms/picture-file.ts'
import { parseOrigin } from '#capabilities/forms/parse-origin.ts'
import type { EngineContext } from '#engine/context.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { merchantNumbered } from '#engine/merchants/merchant.ts'
import { brandNames, type CardBrand } from '#kernel/card-brand.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { SendRequest } from '#platform/outbound/send-request.ts'

type Needs = Pick<EngineContext, 'db' | 'accountClock' | 'merchantReads' | 'keyRing'> & {
  readonly sendRequest: SendRequest
}

export type SettingChange = {
  readonly account: AccountId
  readonly merchant: MerchantNumber
  // null: as it is.
  readonly phone: string | null
  // Separated by commas.
  readonly origins: string | null
  // Card networks, separated by commas; empty: all.
  readonly brands: string | null
  // Where it is fetched from, once; empty: none any more.
  readonly logo?: string | null
  readonly favicon?: string | null
}

export async function changeFormSetting(
  needs: Needs,
  change: SettingChange,
): Promise<Result<FormSetting, 'merchant_not_found' | 'no_origin' | 'no_brand' | 'picture_refused'>> {
  const { account, merchant, phone, origins, brands } = change
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
  const fetched = await fetchPictures(needs, change)
  if (!fetched.ok) return fetched
  const at = needs.accountClock.now(account)
  await needs.db.inTransaction(async (tx) => {
    await putFormSetting(tx, { account, merchant, ...changed, at })
    for (const { kind, picture } of fetched.value)
      await (picture
        ? putPicture(tx, { account, merchant, ...picture, at })
        : removePicture(tx, { account, merchant, kind }))
  })
  return ok(changed)
}

type PictureChange = { readonly kind: PictureKind; readonly picture: FetchedPicture | null }

// All of them are judged before any of them is kept.
async function fetchPictures(
  needs: Needs,
  change: Pick<SettingChange, PictureKind>,
): Promise<Result<readonly PictureChange[], 'picture_refused'>> {
  const changes: PictureChange[] = []
  for (const kind of ['logo', 'favicon'] as const) {
    const url = change[kind]
    if (url === null || url === undefined) continue
    const fetched = url === '' ? ok(null) : await fetchPicture(needs, { kind, url })
    if (!fetched.ok) return fetched
    changes.push({ kind, picture: fetched.value })
  }
  return ok(changes)
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
