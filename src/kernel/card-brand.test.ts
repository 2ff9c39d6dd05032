import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brandNames, type CardBrand, cardBrandOf } from '#kernel/card-brand.ts'
import { brandOf, nameOf } from '../../browser/card-brands.ts'

const published: readonly (readonly [string, CardBrand])[] = [
  ['4111111111111111', 'VI'],
  ['4000056655665556', 'VI'],
  ['5555555555554444', 'MC'],
  ['2223003122003222', 'MC'],
  ['378282246310005', 'AE'],
  ['6011111111111117', 'DS'],
  ['3530111333300000', 'JC'],
  ['30569309025904', 'DC'],
]

// The first and last prefix of every range, and their neighbours.
const edges: readonly (readonly [string, CardBrand])[] = [
  ['2220', ''],
  ['2221', 'MC'],
  ['2720', 'MC'],
  ['2721', ''],
  ['300', 'DC'],
  ['305', 'DC'],
  ['306', ''],
  ['34', 'AE'],
  ['35270', ''],
  ['3528', 'JC'],
  ['3589', 'JC'],
  ['35900', ''],
  ['36', 'DC'],
  ['37', 'AE'],
  ['38', 'DC'],
  ['39', 'DC'],
  ['50', ''],
  ['51', 'MC'],
  ['55', 'MC'],
  ['56', ''],
  ['6010', ''],
  ['6011', 'DS'],
  ['62', 'UP'],
  ['643', ''],
  ['644', 'DS'],
  ['649', 'DS'],
  ['65', 'DS'],
  ['9', ''],
  ['', ''],
]

for (const [digits, brand] of [...published, ...edges]) {
  const [start, network] = [digits.slice(0, 6) || 'nothing', brand || 'no known network']
  test(`a number that begins with ${start} is of ${network}`, () => assert.equal(cardBrandOf(digits), brand))
}

test("a payer's browser knows the same networks by the same names", () => {
  for (const [digits, brand] of [...published, ...edges]) assert.equal(brandOf(digits), brand, digits)
  for (const [brand, name] of Object.entries(brandNames)) assert.equal(nameOf(brand), name)
})
