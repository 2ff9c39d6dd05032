import type { Merchant } from '#engine/merchants/merchant.ts'

// The network moves dollars only.
export function takesAch({ takesAch: isWanted, currency }: Merchant): boolean {
  return isWanted && currency === 'USD'
}
