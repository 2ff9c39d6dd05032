import { currencyCode } from '#kernel/currency.ts'
import { printWithCurrency } from '#kernel/money.ts'

// Also of a currency that nobody knows: whatever is wrong must be told.
export function printSum({ currency: code }: { readonly currency: string }, minor: bigint): string {
  const currency = currencyCode(code)
  return currency ? printWithCurrency({ minor, currency }) : `${minor} ${code}`
}
