import { printPercent } from '#engine/fees/percent.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { type Money, printMoney } from '#kernel/money.ts'

// What a merchant record adds to a price. A surcharge passes the cost of credit cards on; a convenience fee
// is for paying this way at all, whatever the card.
export type FeeRule =
  | { readonly kind: 'none' }
  | { readonly kind: 'surcharge'; readonly basisPoints: number }
  | { readonly kind: 'convenience'; readonly fixed: Money; readonly basisPoints: number }

type FeeSettings = Pick<Merchant, 'feeKind' | 'feeBasisPoints' | 'feeFixedMinor' | 'currency'>

export function feeRuleOf(merchant: FeeSettings): FeeRule {
  const { feeKind: kind, feeBasisPoints: basisPoints, feeFixedMinor, currency } = merchant
  if (kind === 'none') return { kind }
  if (kind === 'surcharge') return { kind, basisPoints }
  return { kind, fixed: { minor: feeFixedMinor, currency }, basisPoints }
}

// "surcharge 3 %", "convenience fee 2.50 and 1 %", "no fee".
export function printRule(rule: FeeRule): string {
  if (rule.kind === 'none') return 'no fee'
  if (rule.kind === 'surcharge') return `surcharge ${printPercent(rule.basisPoints)}`
  const fixed = `convenience fee ${printMoney(rule.fixed)}`
  return rule.basisPoints === 0 ? fixed : `${fixed} and ${printPercent(rule.basisPoints)}`
}
