import assert from 'node:assert/strict'
import { test } from 'node:test'
import { priceOf } from '#capabilities/forms/form-price.ts'
import type { CardKind } from '#engine/acquirers/acquirer.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import type { MerchantSettings } from '#engine/merchants/merchant.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import { makeMerchant, useWorld } from '../../../test/support/session-world.ts'
import { openTill } from '../../../test/support/till.ts'

const world = useWorld()
const today = Temporal.PlainDate.from('2026-07-01')
const surcharge = { feeKind: 'surcharge', feeBasisPoints: 400, region: 'TX' } as const
const odd = { ...surcharge, feeBasisPoints: 275 } as const
const convenience = {
  feeKind: 'convenience',
  feeFixedMinor: 250n,
  feeBasisPoints: 100,
  region: 'TX',
} as const

type Case = readonly [
  what: string,
  settings: Partial<MerchantSettings>,
  card: { readonly brand: CardBrand; readonly kind: CardKind } | null,
  fee: bigint,
  percent: string,
]
// Of $10.10, where the rate cannot be told from the rounded fee.
const cases: readonly Case[] = [
  ['a surcharge above the cap of the network', surcharge, { brand: 'VI', kind: 'credit' }, 30n, '3'],
  ['a surcharge that the network allows', surcharge, { brand: 'AE', kind: 'credit' }, 40n, '4'],
  ['a surcharge of a part of a percent', odd, { brand: 'VI', kind: 'credit' }, 28n, '2.75'],
  ['a debit card', surcharge, { brand: 'VI', kind: 'debit' }, 0n, ''],
  ['a bank account', surcharge, null, 0n, ''],
  ['a convenience fee', convenience, { brand: 'VI', kind: 'credit' }, 250n, ''],
]
for (const [what, settings, card, fee, percent] of cases) {
  const rate = percent === '' ? 'without a rate' : `with its rate of ${percent} %`
  test(`${what} is priced ${rate}`, async () => {
    const till = await openTill(world())
    await makeMerchant(till.needs, till.account, settings)
    const merchant = (await listMerchants(till.needs, till.account.accountId)).at(-1)
    assert(merchant)
    const price = priceOf({ minor: 1_010n, currency: merchant.currency }, { merchant, today, card })
    assert.deepEqual([price.fee.minor, price.percent], [fee, percent])
  })
}
