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
    const feeCase = { merchant, brands, today, asked: null, base: null }
    assert.equal(feeAheadOf(feeCase, tongueFor('en-US', '')), text)
    assert.equal(feeMostOf(feeCase, tongueFor('en-US', '')), most, 'among the sums')
  })
}

// Of $20.00, where Visa allows $0.60 and American Express $0.80.
type AskedCase = readonly [
  asked: bigint,
  settings: Partial<MerchantSettings>,
  brands: readonly CardBrand[],
  base: bigint | null,
  text: string,
]
const askedCases: readonly AskedCase[] = [
  [20n, surcharge, [], 2_000n, 'Credit card +$0.20'],
  [500n, surcharge, ['VI'], 2_000n, 'Credit card +$0.60'],
  [500n, surcharge, [], 2_000n, 'Credit card +$0.80'],
  [500n, surcharge, [], null, 'Credit card +$5.00'],
  [500n, { ...surcharge, region: 'CT' }, [], 2_000n, ''],
  [500n, { ...surcharge, region: 'CT' }, [], null, ''],
  [100n, convenience, [], null, 'Card +$1.00'],
  [500n, convenience, [], 2_000n, 'Card +$2.50'],
]
for (const [asked, settings, brands, base, text] of askedCases) {
  const amount = base === null ? 'an amount that the payer types' : `${base} cents`
  test(`an asked fee of ${asked} cents on ${amount} is announced as ${text || 'nothing'}`, async () => {
    const till = await openTill(world())
    await makeMerchant(till.needs, till.account, settings)
    const merchant = (await listMerchants(till.needs, till.account.accountId)).at(-1)
    assert(merchant)
    const { currency } = merchant
    const feeCase = {
      merchant,
      brands,
      today,
      asked: { minor: asked, currency },
      base: base === null ? null : { minor: base, currency },
    }
    assert.equal(feeAheadOf(feeCase, tongueFor('en-US', '')), text)
  })
}
