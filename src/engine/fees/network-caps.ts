import { type Dated, rowOn } from '#engine/fees/dated-row.ts'
import { brandNames, type CardBrand } from '#kernel/card-brand.ts'

// What the card networks allow merchants in the United States. Shipped as data, as of November 2026. It is
// no legal advice: compare it with the networks' current rules before relying on it.

export type NetworkCap = { readonly name: string; readonly basisPoints: number }

type CapRow = Dated & { readonly basisPoints: number }

const begun = Temporal.PlainDate.from('2013-01-27')
const settlement = 'merchant settlement of 2012: surcharges allowed from 27 January 2013'

// Networks that are not listed have no cap of their own: the record's percentage, its cost, is the most.
const surchargeCaps: Partial<Record<CardBrand, readonly CapRow[]>> = {
  VI: [
    { from: begun, basisPoints: 400, source: settlement },
    {
      from: Temporal.PlainDate.from('2023-04-15'),
      basisPoints: 300,
      source: 'Visa Core Rules, surcharges in the United States: 3 % from 15 April 2023',
    },
  ],
  MC: [{ from: begun, basisPoints: 400, source: settlement }],
  // A card of a network that we cannot tell might be capped by it.
  '': [{ from: begun, basisPoints: 0, source: 'our own caution' }],
}

type PercentRow = Dated & { readonly isAllowed: boolean }

// A convenience fee may have a part in percent, except where a row says otherwise.
const conveniencePercents: Partial<Record<CardBrand, readonly PercentRow[]>> = {
  VI: [{ from: begun, isAllowed: false, source: 'Visa Core Rules: a convenience fee is a flat amount' }],
  '': [{ from: begun, isAllowed: false, source: 'our own caution' }],
}

export function networkName(brand: CardBrand): string {
  return brand === '' ? 'an unknown network' : brandNames[brand]
}

// Null for a network without a cap of its own. Before the table begins nothing is allowed.
export function networkCapOn(brand: CardBrand, on: Temporal.PlainDate): NetworkCap | null {
  const rows = surchargeCaps[brand]
  return rows ? { name: networkName(brand), basisPoints: rowOn(rows, on)?.basisPoints ?? 0 } : null
}

export function allowsConveniencePercent(brand: CardBrand, on: Temporal.PlainDate): boolean {
  const rows = conveniencePercents[brand]
  return rows ? (rowOn(rows, on)?.isAllowed ?? false) : true
}
