// Brands by their first digits, as the server knows them.
const brands: readonly (readonly [pattern: RegExp, brand: string])[] = [
  [/^(?:222[1-9]|22[3-9]|2[3-6]|27[01]|2720|5[1-5])/, 'MC'],
  [/^35(?:2[89]|[3-8])/, 'JC'],
  [/^(?:6011|64[4-9]|65)/, 'DS'],
  [/^3(?:0[0-5]|[689])/, 'DC'],
  [/^3[47]/, 'AE'],
  [/^62/, 'UP'],
  [/^4/, 'VI'],
]
export const brandOf = (digits: string): string => brands.find(([pattern]) => pattern.test(digits))?.[1] ?? ''
// At least; of brands that we do not know there are short ones.
export const lengthOf = (brand: string): number => lengths[brand] ?? 16
const lengths: Readonly<Record<string, number>> = { AE: 15, DC: 14, '': 12 }

export const nameOf = (brand: string): string => names[brand] ?? ''
const names: Readonly<Record<string, string>> = {
  VI: 'Visa',
  MC: 'Mastercard',
  AE: 'American Express',
  DS: 'Discover',
  DC: 'Diners Club',
  JC: 'JCB',
  UP: 'UnionPay',
}

export function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let at = 0; at < digits.length; at += 1) {
    const digit = Number(digits[digits.length - 1 - at])
    const doubled = at % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
