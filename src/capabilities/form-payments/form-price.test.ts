import assert from 'node:assert/strict'
import { test } from 'node:test'
import { priceOf } from '#capabilities/form-payments/form-price.ts'
import { feeWords, tongueFor } from '#capabilities/payer-words/tongue.ts'
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
  basisPoints: number,
]
// Of $10.10, where the rate cannot be told from the rounded fee.
const cases: readonly Case[] = [
  ['a surcharge above the cap of the network', surcharge, { brand: 'VI', kind: 'credit' }, 30n, 300],
  ['a surcharge that the network allows', surcharge, { brand: 'AE', kind: 'credit' }, 40n, 400],
  ['a surcharge of a part of a percent', odd, { brand: 'VI', kind: 'credit' }, 28n, 275],
  ['a debit card', surcharge, { brand: 'VI', kind: 'debit' }, 0n, 0],
  ['a bank account', surcharge, null, 0n, 0],
  ['a convenience fee', convenience, { brand: 'VI', kind: 'credit' }, 250n, 0],
]
for (const [what, settings, card, fee, basisPoints] of cases) {
  test(`${what} has ${basisPoints === 0 ? 'no rate' : `a rate of ${basisPoints / 100} %`}`, async () => {
    const till = await openTill(world())
    await makeMerchant(till.needs, till.account, settings)
    const merchant = (await listMerchants(till.needs, till.account.accountId)).at(-1)
    assert(merchant)
    const price = priceOf(
      { minor: 1_010n, currency: merchant.currency },
      { merchant, today, card, asked: null },
    )
    assert.deepEqual([price.fee.minor, price.surchargeBasisPoints], [fee, basisPoints])
  })
}

for (const [language, basisPoints, words] of [
  ['en-US', 300, 'Credit card fee 3%'],
  ['en-US', 275, 'Credit card fee 2.75%'],
  ['es-ES', 275, 'Recargo por tarjeta de crédito 2,75\u00a0%'],
  ['fr-FR', 275, 'Frais de carte de crédit 2,75\u00a0%'],
  ['en-US', 0, 'Card fee'],
] as const)
  test(`a fee of ${basisPoints} basis points is called ${words}`, () => {
    assert.equal(feeWords(basisPoints, tongueFor(language, '')), words)
  })
