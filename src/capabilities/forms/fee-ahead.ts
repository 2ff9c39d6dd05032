import { basisPointsOf, hasFees } from '#capabilities/forms/form-price.ts'
import { fill, moneyWords, percentWords, type Tongue } from '#capabilities/forms/form-words.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { CardBrand } from '#kernel/card-brand.ts'

type FeeCase = {
  readonly merchant: Merchant
  // Card networks that are taken; empty: all.
  readonly brands: readonly CardBrand[]
  readonly today: Temporal.PlainDate
}

const knownBrands: readonly CardBrand[] = ['VI', 'MC', 'AE', 'DS', 'DC', 'JC', 'UP']

// What paying by card can cost at most, said before the card is known; empty where it costs nothing.
export function feeAheadOf(feeCase: FeeCase, tongue: Tongue): string {
  const { merchant } = feeCase
  const { feeKind, currency } = merchant
  if (!hasFees(merchant)) return ''
  const fixedMinor = feeKind === 'convenience' ? merchant.feeFixedMinor : 0n
  const basisPoints = highestBasisPoints(feeCase)
  const percent = basisPoints === 0 ? '' : percentWords(basisPoints, tongue)
  if (feeKind === 'surcharge') return percent === '' ? '' : fill(tongue.words.fee_ahead_percent, { percent })
  const fixed = fixedMinor === 0n ? '' : moneyWords({ minor: fixedMinor, currency }, tongue)
  const parts = [fixed, percent === '' ? '' : `${percent}\u00a0%`].filter((part) => part !== '')
  return parts.length === 0 ? '' : fill(tongue.words.fee_ahead_fixed, { fee: parts.join(' + ') })
}

function highestBasisPoints({ merchant, brands, today }: FeeCase): number {
  const rates = (brands.length === 0 ? knownBrands : brands).map((brand) =>
    basisPointsOf({ merchant, today, card: { brand, kind: 'credit' } }),
  )
  return Math.max(0, ...rates)
}
