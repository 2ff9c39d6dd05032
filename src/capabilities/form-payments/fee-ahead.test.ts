import assert from 'node:assert/strict'
import { test } from 'node:test'
import { feeAheadOf, feeMostOf } from '#capabilities/form-payments/fee-ahead.ts'
import { tongueFor } from '#capabilities/payer-words/tongue.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import type { MerchantSettings } from '#engine/merchants/merchant.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import { makeMerchant, useWorld } from '../../../test/support/session-world.ts'
import { openTill } from '../../../test/support/till.ts'

const world = useWorld()
const today = Temporal.PlainDate.from('2026-07-01')
const surcharge = { feeKind: 'surcharge', feeBasisPoints: 400, region: 'TX' } as const
const convenience = { feeKind: 'convenience', feeFixedMinor: 250n, region: 'TX' } as const

type Case = readonly [
  what: string,
  settings: Partial<MerchantSettings>,
  brands: readonly CardBrand[],
  text: string,
  most: string,
]
const cases: readonly Case[] = [
  ['a record without fees', {}, [], '', ''],
  ['a surcharge above the cap of the only network', surcharge, ['VI'], 'Credit card +3%', 'up to 3%'],
  ['a surcharge where a network has a higher cap', surcharge, ['VI', 'AE'], 'Credit card +4%', 'up to 4%'],
  ['a surcharge where the law forbids it', { ...surcharge, region: 'CT' }, [], '', ''],
  ['a fixed fee', convenience, [], 'Card +$2.50', 'up to $2.50'],
  [
    'a fee with a percentage',
    { ...convenience, feeBasisPoints: 100 },
    [],
    'Card +$2.50 + 1%',
    'up to $2.50 + 1%',
  ],
]
for (const [what, settings, brands, text, most] of cases) {
  test(`${what} is announced as ${text === '' ? 'nothing' : text}`, async () => {
    const till = await openTill(world())
    await makeMerchant(till.needs, till.account, settings)
    const merchant = (await listMerchants(till.needs, till.account.accountId)).at(-1)
    assert(merchant)
    assert.equal(feeAheadOf({ merchant, brands, today }, tongueFor('en-US', '')), text)
    assert.equal(feeMostOf({ merchant, brands, today }, tongueFor('en-US', '')), most, 'among the sums')
  })
}
