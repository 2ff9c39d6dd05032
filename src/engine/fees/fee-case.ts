import { feeRuleOf } from '#engine/fees/fee-rule.ts'
import type { FeeCase } from '#engine/fees/quote-fees.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'

// What fees depend on: the record that collects the funds, the card, and the day there.
export function feeCaseOf(merchant: Merchant, card: FeeCase['card'], on: Temporal.PlainDate): FeeCase {
  const { region, isRegionConfirmed } = merchant
  return { rule: feeRuleOf(merchant), card, region, isRegionConfirmed, on }
}
