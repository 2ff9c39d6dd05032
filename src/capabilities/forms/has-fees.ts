import type { Merchant } from '#engine/merchants/merchant.ts'

// An order of an international record carries none.
export function hasFees({ feeKind, isInternational }: Merchant): boolean {
  return feeKind !== 'none' && !isInternational
}
