import { addMoney, type Money } from '#kernel/money.ts'

// What a payer pays: the price, the fee, and both together.
export type Amounts = { readonly base: Money; readonly fee: Money; readonly total: Money }

// The total is never taken from anybody, always made here.
export function amountsOf(base: Money, fee: Money): Amounts {
  return { base, fee, total: addMoney(base, fee) }
}
