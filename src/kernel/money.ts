import { assert } from '#kernel/assert.ts'
import { type Currency, exponentOf } from '#kernel/currency.ts'
import { type Decimal, printDecimal, unitsAtScale } from '#kernel/decimal.ts'

export type Money = { readonly minor: bigint; readonly currency: Currency }

// Too many decimals for the currency is null: a refusal for the caller to make, never a rounding.
export function moneyFromDecimal(amount: Decimal, currency: Currency): Money | null {
  const minor = unitsAtScale(amount, exponentOf(currency))
  return minor === null ? null : { minor, currency }
}

export function addMoney(left: Money, right: Money): Money {
  return { minor: left.minor + minorInSame(left, right), currency: left.currency }
}

export function subtractMoney(left: Money, right: Money): Money {
  return { minor: left.minor - minorInSame(left, right), currency: left.currency }
}

export function isMoreThan(left: Money, right: Money): boolean {
  return left.minor > minorInSame(left, right)
}

// Also where the currencies differ: what an acquirer tells is compared too, and other money is not the same.
export function isSameMoney(left: Money, right: Money): boolean {
  return left.minor === right.minor && left.currency === right.currency
}

// 1010 cents are "10.10", 500 yen are "500".
export function printMoney(money: Money): string {
  return printDecimal({ units: money.minor, scale: exponentOf(money.currency) })
}

// 10.10 USD
export function printWithCurrency(money: Money): string {
  return `${printMoney(money)} ${money.currency}`
}

function minorInSame(left: Money, right: Money): bigint {
  assert(left.currency === right.currency, 'money meets money of its own currency only')
  return right.minor
}
