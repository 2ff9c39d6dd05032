import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { exact, moneyToWire } from '#capabilities/wire/amounts.wire.ts'
import { currencyCode } from '#kernel/currency.ts'
import { printMoney } from '#kernel/money.ts'

test('an amount is read exactly as it was written', () => {
  assert.deepEqual(exact(10.1), { units: 101n, scale: 1 })
  assert.deepEqual(exact(9_999_999_999.99), { units: 999_999_999_999n, scale: 2 })
  assert.deepEqual(exact(1e-7), { units: 1n, scale: 7 })
})

test('a sum of up to 15 digits is written as exactly as its text', () => {
  const minor = fc.bigInt({ min: -999_999_999_999_999n, max: 999_999_999_999_999n })
  const currency = fc.constantFrom(...['USD', 'JPY', 'KWD'].flatMap((code) => currencyCode(code) ?? []))
  fc.assert(
    fc.property(fc.record({ minor, currency }), (money) => {
      assert.equal(String(moneyToWire(money)), String(Number(printMoney(money))))
    }),
  )
})
