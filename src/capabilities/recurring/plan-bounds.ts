import { type Money, printWithCurrency } from '#kernel/money.ts'
import { refuse, type Refused } from '#kernel/result.ts'

// Bounds of what a plan can mean, against slips of the keyboard: a year 9999, a few zeros too many.

const yearsAheadMax = 100

type Bounded = Refused<'value_out_of_range'> | null

// Null: it is near enough.
export function tooFarAhead(
  day: Temporal.PlainDate,
  { today, member }: { readonly today: Temporal.PlainDate; readonly member: string },
): Bounded {
  const last = today.add({ years: yearsAheadMax })
  if (Temporal.PlainDate.compare(day, last) <= 0) return null
  return refuse('value_out_of_range', { problem: `${member} lies more than ${yearsAheadMax} years ahead` })
}

// Null: the merchant record takes so much in one charge.
export function tooMuch(
  payment: Money,
  { most, member }: { readonly most: Money; readonly member: string },
): Bounded {
  if (payment.minor <= most.minor) return null
  const limit = `${printWithCurrency(most)}, the most that the merchant record takes at once`
  return refuse('value_out_of_range', { problem: `${member} makes a payment of more than ${limit}` })
}
