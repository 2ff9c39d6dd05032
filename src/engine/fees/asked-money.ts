import type { Currency } from '#kernel/currency.ts'
import type { Decimal } from '#kernel/decimal.ts'
import { type Money, moneyFromDecimal } from '#kernel/money.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

// An amount as it was sent, with the name it was sent under, so that a refusal can name it. Exact, but not
// yet money: its currency is the merchant record's.
export type AskedAmount = { readonly amount: Decimal; readonly member: string }

export type AskedAmounts = {
  readonly base: AskedAmount
  // null when none was asked for; 0 counts as none.
  readonly fee: AskedAmount | null
  readonly total: AskedAmount | null
}

type AskedPrice = { readonly base: Money; readonly fee: Money | null; readonly total: Money | null }

// An amount becomes money where its currency is known. Too many decimals are refused, never rounded.
export function askedMoney(
  { amount, member }: AskedAmount,
  currency: Currency,
): Result<Money, 'value_out_of_range'> {
  const money = moneyFromDecimal(amount, currency)
  if (money) return ok(money)
  return refuse('value_out_of_range', { problem: `${member} has more decimals than ${currency} has` })
}

// The same where nothing may have been asked for.
export function askedMoneyOrNull(
  asked: AskedAmount | null,
  currency: Currency,
): Result<Money | null, 'value_out_of_range'> {
  return asked === null ? ok(null) : askedMoney(asked, currency)
}

// The three amounts of a charge.
export function askedPrice(
  asked: AskedAmounts,
  currency: Currency,
): Result<AskedPrice, 'value_out_of_range'> {
  const base = askedMoney(asked.base, currency)
  if (!base.ok) return base
  const fee = askedMoneyOrNull(asked.fee, currency)
  if (!fee.ok) return fee
  const total = askedMoneyOrNull(asked.total, currency)
  if (!total.ok) return total
  return ok({ base: base.value, fee: fee.value, total: total.value })
}
