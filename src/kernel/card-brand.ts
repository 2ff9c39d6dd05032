// The card networks, by the interface's own short codes.
export type CardBrand = 'VI' | 'MC' | 'AE' | 'DS' | 'DC' | 'JC' | 'UP' | ''

// As people know them.
export const brandNames: Readonly<Record<CardBrand, string>> = {
  VI: 'Visa',
  MC: 'Mastercard',
  AE: 'American Express',
  DS: 'Discover',
  DC: 'Diners Club',
  JC: 'JCB',
  UP: 'UnionPay',
  '': '',
}

// First digits of each network, lowest and highest. Longer prefixes stand before the shorter ones that
// contain them.
const ranges: readonly (readonly [low: string, high: string, brand: CardBrand])[] = [
  ['2221', '2720', 'MC'],
  ['3528', '3589', 'JC'],
  ['6011', '6011', 'DS'],
  ['300', '305', 'DC'],
  ['644', '649', 'DS'],
  ['34', '34', 'AE'],
  ['37', '37', 'AE'],
  ['36', '36', 'DC'],
  ['38', '39', 'DC'],
  ['51', '55', 'MC'],
  ['62', '62', 'UP'],
  ['65', '65', 'DS'],
  ['4', '4', 'VI'],
]

export function cardBrandOf(digits: string): CardBrand {
  const found = ranges.find(([low, high]) => {
    const prefix = digits.slice(0, low.length)
    return prefix >= low && prefix <= high
  })
  return found?.[2] ?? ''
}
