import type { Merchant } from '#engine/merchants/merchant.ts'
import { isMoreThan, type Money, printWithCurrency } from '#kernel/money.ts'
import { refuse, type Refused } from '#kernel/result.ts'

// The largest payment that a merchant record takes, against slips of the keyboard.
export function mostAtOnce({
  limitPerChargeMinor: minor,
  currency,
}: Pick<Merchant, 'limitPerChargeMinor' | 'currency'>): Money {
  return { minor, currency }
}

// Null: the merchant record takes so much in one charge.
export function tooMuchAtOnce(
  payment: Money,
  { most, member }: { readonly most: Money; readonly member: string },
): Refused<'value_out_of_range'> | null {
  if (!isMoreThan(payment, most)) return null
  const limit = `${printWithCurrency(most)}, the most that the merchant record takes at once`
  return refuse('value_out_of_range', { problem: `${member} makes a payment of more than ${limit}` })
}
