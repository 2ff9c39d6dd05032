import { basisPointsOf, type Means, priceOf } from '#capabilities/form-payments/form-price.ts'
import { hasFees } from '#capabilities/forms/has-fees.ts'
import { feeWords, fill, moneyWords, percentWords, type Tongue } from '#capabilities/payer-words/tongue.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { Money } from '#kernel/money.ts'

type FeeCase = {
  readonly merchant: Merchant
  // Card networks that are taken; empty: all.
  readonly brands: readonly CardBrand[]
  readonly today: Temporal.PlainDate
  // The fee that the merchant asks for; null: what the card costs.
  readonly asked: Money | null
  // null where the payer types the amount.
  readonly base: Money | null
}

const knownBrands: readonly CardBrand[] = ['VI', 'MC', 'AE', 'DS', 'DC', 'JC', 'UP']

// What paying by card can cost at most, said before the card is known; empty where it costs nothing.
export function feeAheadOf(feeCase: FeeCase, tongue: Tongue): string {
  const { words } = tongue
  const fee = highestFee(feeCase, tongue)
  if (fee === '') return ''
  return fill(feeCase.merchant.feeKind === 'surcharge' ? words.fee_ahead_credit : words.fee_ahead_card, {
    fee,
  })
}

// The same where it stands in a line of sums: "up to 3%".
export function feeMostOf(feeCase: FeeCase, tongue: Tongue): string {
  const fee = highestFee(feeCase, tongue)
  return fee === '' ? '' : fill(tongue.words.fee_most, { fee })
}

// What the line of the fee is called once the card that costs most is known: the longest name that it gets.
export function feeLabelOf(feeCase: FeeCase, tongue: Tongue): string {
  return feeWords(feeCase.merchant.feeKind === 'surcharge' ? highestBasisPoints(feeCase) : 0, tongue)
}

function highestFee(feeCase: FeeCase, tongue: Tongue): string {
  const { merchant } = feeCase
  const { feeKind, currency } = merchant
  if (!hasFees(merchant)) return ''
  if (feeCase.asked) return highestAsked(feeCase, feeCase.asked, tongue)
  const fixedMinor = feeKind === 'convenience' ? merchant.feeFixedMinor : 0n
  const basisPoints = highestBasisPoints(feeCase)
  const parts = [
    fixedMinor === 0n ? '' : moneyWords({ minor: fixedMinor, currency }, tongue),
    basisPoints === 0 ? '' : percentWords(basisPoints, tongue),
  ]
  return parts.filter((part) => part !== '').join(' + ')
}

// What the merchant asks for, unless every card costs less than that for the amount.
function highestAsked(feeCase: FeeCase, asked: Money, tongue: Tongue): string {
  const { merchant, base } = feeCase
  const costsAny = merchant.feeKind === 'convenience' || highestBasisPoints(feeCase) > 0
  const most = base
    ? highestOf(feeCase, (means) => priceOf(base, { ...means, asked }).fee.minor)
    : asked.minor
  return costsAny && most > 0n ? moneyWords({ ...asked, minor: most }, tongue) : ''
}

function highestBasisPoints(feeCase: FeeCase): number {
  return Number(highestOf(feeCase, (means) => BigInt(basisPointsOf(means))))
}

function highestOf({ merchant, brands, today }: FeeCase, of: (means: Means) => bigint): bigint {
  const fees = (brands.length === 0 ? knownBrands : brands).map((brand) =>
    of({ merchant, today, card: { brand, kind: 'credit' } }),
  )
  return fees.reduce((most, fee) => (fee > most ? fee : most), 0n)
}
