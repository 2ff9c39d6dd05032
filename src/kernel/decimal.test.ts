import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseDecimal, printDecimal, significantDigits, unitsAtScale } from '#kernel/decimal.ts'

const written = [
  ['10', 10n, 0, '10'],
  ['10.10', 101n, 1, '10.1'],
  ['0.05', 5n, 2, '0.05'],
  ['-0.5', -5n, 1, '-0.5'],
  ['1e3', 1000n, 0, '1000'],
  ['1.5E-2', 15n, 3, '0.015'],
  ['000.000', 0n, 0, '0'],
  ['1e-100', 1n, 100, `0.${'0'.repeat(99)}1`],
  ['5e-324', 5n, 324, `0.${'0'.repeat(323)}5`],
] as const
for (const [text, units, scale, printed] of written) {
  test(`the number ${text} is read exactly and printed as ${printed}`, () => {
    assert.deepEqual(parseDecimal(text), { units, scale })
    assert.equal(printDecimal({ units, scale }), printed)
  })
}

for (const text of [
  '',
  ' ',
  'ten',
  '1.',
  '.5',
  '1,000.00',
  '0x10',
  '1e400',
  'NaN',
  'Infinity',
  '--1',
  '1e-400',
]) {
  test(`"${text}" is no number`, () => assert.equal(parseDecimal(text), null))
}

test('every amount of up to 15 digits survives the trip through a JSON number', () => {
  const amounts = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }), fc.integer({ min: 0, max: 6 }))
  fc.assert(
    fc.property(amounts, ([units, scale]) => {
      const text = printDecimal({ units, scale })
      const throughJson: unknown = JSON.parse(text)
      assert.equal(unitsAtScale(parseDecimal(String(throughJson)) ?? { units: -1n, scale: 0 }, scale), units)
    }),
    { numRuns: 20_000 },
  )
})

test('a third decimal is never rounded away', () => {
  assert.equal(unitsAtScale({ units: 10123n, scale: 3 }, 2), null)
  assert.equal(unitsAtScale({ units: 1012n, scale: 2 }, 2), 1012n)
  assert.equal(unitsAtScale({ units: 5n, scale: 0 }, 3), 5000n)
})

test('significant digits are counted without leading zeros, point and exponent', () => {
  assert.equal(significantDigits('0.0010'), 2)
  assert.equal(significantDigits('123456789012345.6'), 16)
  assert.equal(significantDigits('1e20'), 1)
})
