import { Type } from 'typebox'
import type { AskedAmounts } from '#engine/fees/asked-money.ts'
import type { RequestFault } from '#capabilities/wire/error-codes.ts'
import { outOfRange, WireAmount, type WireOf } from '#capabilities/wire/scalars.wire.ts'
import type { Amounts } from '#engine/fees/amounts.ts'
import { exponentOf } from '#kernel/currency.ts'
import { type Decimal, parseDecimal } from '#kernel/decimal.ts'
import { type Money, printMoney } from '#kernel/money.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

// Spec "Amounts object". The base is called BaseAmt or Amount; both names are given there as stated.
export const AmountsRequest = Type.Object(
  {
    BaseAmt: Type.Optional(WireAmount('Base amount in currency units, before fees.')),
    Amount: Type.Optional(WireAmount('Another name of BaseAmt.')),
    Surcharge: Type.Optional(WireAmount('Fee added to the base amount.')),
    TotalAmt: Type.Optional(WireAmount('Total to charge: base plus fee; 0 or nothing leaves it to us.')),
  },
  { title: 'Amounts' },
)

export const AmountsResult = Type.Object(
  {
    BaseAmt: Type.Number({ description: 'Base amount, before fees.' }),
    Surcharge: Type.Number({ description: 'Fee added to the base amount.' }),
    TotalAmt: Type.Number({ description: 'Base amount plus fee.' }),
  },
  { title: 'ApprovedAmounts' },
)

export function readAmounts(
  body: WireOf<typeof AmountsRequest>,
  member: string,
): Result<AskedAmounts, RequestFault> {
  const { BaseAmt, Amount, Surcharge, TotalAmt } = body
  const base = BaseAmt ?? Amount
  if (base === undefined) return refuse('missing_member', { problem: `${member}.BaseAmt is missing` })
  if (Amount !== undefined && Amount !== base)
    return outOfRange(`${member}.BaseAmt and ${member}.Amount differ`)
  if (base === 0) return outOfRange(`${member}.BaseAmt must be more than 0`)
  const named = BaseAmt === undefined ? 'Amount' : 'BaseAmt'
  return ok({
    base: { amount: exact(base), member: `${member}.${named}` },
    fee: Surcharge ? { amount: exact(Surcharge), member: `${member}.Surcharge` } : null,
    total: !TotalAmt ? null : { amount: exact(TotalAmt), member: `${member}.TotalAmt` },
  })
}

export function amountsToWire({ base, fee, total }: Amounts): WireOf<typeof AmountsResult> {
  return { BaseAmt: moneyToWire(base), Surcharge: moneyToWire(fee), TotalAmt: moneyToWire(total) }
}

export const noAmounts: WireOf<typeof AmountsResult> = { BaseAmt: 0, Surcharge: 0, TotalAmt: 0 }

// A plain JSON number: sums of up to 15 digits are written exactly, because the quotient of two whole numbers
// is the double nearest to it, as the decimal number read from a text would be.
export function moneyToWire({ minor, currency }: Money): number {
  return Number(minor) / 10 ** exponentOf(currency)
}

// A number of up to 15 digits is told by its shortest text, and the reader of requests lets no longer one
// through.
export function exact(amount: number): Decimal {
  const decimal = parseDecimal(String(amount))
  if (!decimal) throw new Error(`Broken promise: ${amount} was checked to be an amount`)
  return decimal
}

const signs: Readonly<Record<string, string>> = { USD: '$', EUR: '€', GBP: '£', JPY: '¥' }

// As people read it: $10.00, and CHF 10.00 where there is no sign that everybody knows.
export function moneyText(money: Money): string {
  return `${signs[money.currency] ?? `${money.currency} `}${printMoney(money)}`
}
