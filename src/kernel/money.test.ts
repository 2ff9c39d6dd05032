import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Currency, currencyCode } from '#kernel/currency.ts'
import { parseDecimal } from '#kernel/decimal.ts'
import {
  addMoney,
  isMoreThan,
  isSameMoney,
  moneyFromDecimal,
  printMoney,
  printWithCurrency,
  subtractMoney,
} from '#kernel/money.ts'

const usd = currencyOf('USD')

function currencyOf(text: string): Currency {
  const currency = currencyCode(text)
  assert.ok(currency)
  return currency
}

const amounts = [
  ['10.1', 'USD', '10.10'],
  ['0.005', 'USD', null],
  ['500', 'JPY', '500'],
  ['500.5', 'JPY', null],
  ['1.234', 'KWD', '1.234'],
  ['1.2345', 'KWD', null],
  ['1500', 'HUF', '1500.00'],
  ['2.5', 'IQD', '2.500'],
] as const
for (const [text, currency, printed] of amounts) {
  test(`${text} ${currency} ${printed === null ? 'is refused, not rounded' : `is ${printed}`}`, () => {
    const decimal = parseDecimal(text)
    assert.ok(decimal)
    const money = moneyFromDecimal(decimal, currencyOf(currency))
    assert.equal(money && printMoney(money), printed)
    assert.equal(money && printWithCurrency(money), printed && `${printed} ${currency}`)
  })
}

test('adding and taking away again gives the same sum', () => {
  const cents = fc.bigInt({ min: 0n, max: 10n ** 13n })
  fc.assert(
    fc.property(cents, cents, (a, b) => {
      const left = { minor: a, currency: usd }
      const right = { minor: b, currency: usd }
      assert.deepEqual(subtractMoney(addMoney(left, right), right), left)
      assert.equal(isMoreThan(addMoney(left, right), left), b > 0n)
    }),
  )
})

test('dollars are never added to yen', () => {
  assert.throws(() => addMoney({ minor: 1n, currency: usd }, { minor: 1n, currency: currencyOf('JPY') }))
})

test('the same money is the same amount of the same currency', () => {
  const [usual, jpy] = [{ minor: 100n, currency: usd }, currencyOf('JPY')]
  assert.equal(isSameMoney(usual, { ...usual }), true)
  assert.equal(isSameMoney(usual, { minor: 101n, currency: usd }), false)
  assert.equal(isSameMoney(usual, { minor: 100n, currency: jpy }), false)
})

test('money cannot slip into JSON unnoticed', () => {
  assert.throws(() => JSON.stringify({ minor: 1n, currency: usd }), TypeError)
})
