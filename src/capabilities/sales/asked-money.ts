import type { Currency } from '#kernel/currency.ts'
import type { Decimal } from '#kernel/decimal.ts'
import { type Money, moneyFromDecimal } from '#kernel/money.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

// An amount as it was sent, with the name it was sent under, so that a refusal can name it.
type AskedAmount = { readonly amount: Decimal; readonly member: string }

export type AskedAmounts = {
  readonly base: AskedAmount
  readonly fee: AskedAmount | null
  readonly total: AskedAmount | null
}

export type AskedMoney = { readonly base: Money; readonly fee: Money | null; readonly total: Money | null }

// Amounts become money where the currency is known. More decimals than it has are refused, never rounded.
export function moneyAsked(
  { base, fee, total }: AskedAmounts,
  currency: Currency,
): Result<AskedMoney, 'value_out_of_range'> {
  const given = [base, fee, total].filter((one) => one !== null)
  const tooFine = given.find(({ amount }) => moneyFromDecimal(amount, currency) === null)
  const price = moneyFromDecimal(base.amount, currency)
  if (tooFine || !price) {
    const { member } = tooFine ?? base
    return refuse('value_out_of_range', { problem: `${member} has more decimals than ${currency} has` })
  }
  return ok({
    base: price,
    fee: fee && moneyFromDecimal(fee.amount, currency),
    total: total && moneyFromDecimal(total.amount, currency),
  })
}
