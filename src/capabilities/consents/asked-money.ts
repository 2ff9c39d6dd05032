import type { Currency } from '#kernel/currency.ts'
import type { Decimal } from '#kernel/decimal.ts'
import { type Money, moneyFromDecimal } from '#kernel/money.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

// An amount becomes money where its currency is known. Too many decimals are refused, never rounded.
export function askedMoney(amount: Decimal, currency: Currency): Result<Money, 'value_out_of_range'> {
  const money = moneyFromDecimal(amount, currency)
  if (money) return ok(money)
  return refuse('value_out_of_range', { problem: `An amount has more decimals than ${currency} has` })
}

// The same where nothing may have been asked for.
export function askedMoneyOrNull(
  amount: Decimal | null,
  currency: Currency,
): Result<Money | null, 'value_out_of_range'> {
  return amount === null ? ok(null) : askedMoney(amount, currency)
}
