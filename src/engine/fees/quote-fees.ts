import type { CardKind } from '#engine/acquirers/acquirer.ts'
import { type Amounts, amountsOf } from '#engine/fees/amounts.ts'
import type { FeeDecision } from '#engine/fees/fee-decision.ts'
import { type FeeRule, printRule } from '#engine/fees/fee-rule.ts'
import { allowsConveniencePercent, networkCapOn, networkName } from '#engine/fees/network-caps.ts'
import { capAt, feeAt, printPercent } from '#engine/fees/percent.ts'
import { regionRuleOn } from '#engine/fees/region-caps.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import { addMoney, isMoreThan, type Money } from '#kernel/money.ts'

export type FeeQuote = Amounts & { readonly decision: FeeDecision }

export type FeeCase<Rule extends FeeRule = FeeRule> = {
  readonly rule: Rule
  readonly card: { readonly brand: CardBrand; readonly kind: CardKind }
  // Of the merchant record that collects the funds; empty when not known.
  readonly region: string
  readonly isRegionConfirmed: boolean
  // The business date of the charge, so that an old charge is judged by the tables of its day.
  readonly on: Temporal.PlainDate
}

type Cap = { readonly name: string; readonly basisPoints: number }
type Surcharge = Extract<FeeRule, { kind: 'surcharge' }>
type Convenience = Extract<FeeRule, { kind: 'convenience' }>
type Finding = { readonly fee: Money; readonly cap: Cap | null; readonly reason: string }

// Spec "Calculate fees for a stored card": fees depend on the merchant record's rule and the card's type.
export function quoteFees(feeCase: FeeCase, base: Money): FeeQuote {
  const { rule } = feeCase
  const { fee, cap, reason } = find(feeCase, base)
  const capText = cap && printCap(cap)
  const decision = { kind: rule.kind, rule: printRule(rule), cap: capText, reason, clamped: null }
  return { ...amountsOf(base, fee), decision }
}

function find(feeCase: FeeCase, base: Money): Finding {
  const { rule } = feeCase
  if (rule.kind === 'none') return nothing(base, 'the merchant record has no fees configured')
  if (rule.kind === 'surcharge') return surchargeOn({ ...feeCase, rule }, base)
  return convenienceOn({ ...feeCase, rule }, base)
}

// The rule's fee, the network's cap and the region's: the smallest amount counts. The fee rounds half up and
// caps round down, so even a rule that equals its cap can be lowered by it.
function surchargeOn(feeCase: FeeCase<Surcharge>, base: Money): Finding {
  const obstacle = obstacleTo(feeCase)
  if (obstacle !== null) return nothing(base, obstacle)
  const { rule, card } = feeCase
  const asRuled = feeAt(rule.basisPoints, base)
  const cap = lowestCapOf(feeCase)
  if (!cap) return { fee: asRuled, cap, reason: `${networkName(card.brand)} has no cap of its own` }
  const most = capAt(cap.basisPoints, base)
  // Told by the percentage: small amounts can round to the same cent on both sides of the cap.
  const reason = `${rule.basisPoints > cap.basisPoints ? 'lowered to' : 'within'} the cap ${printCap(cap)}`
  return { fee: isMoreThan(asRuled, most) ? most : asRuled, cap, reason }
}

function obstacleTo({ card, region, isRegionConfirmed, on }: FeeCase): string | null {
  if (card.kind === 'unknown') return 'cards of unknown kind carry no surcharge'
  if (card.kind !== 'credit') return `${card.kind} cards carry no surcharge`
  if (region === '') return "the merchant record's region is not known"
  const law = regionRuleOn(region, on)
  if (law?.kind === 'forbidden') return `${law.name} forbids surcharges`
  if (law?.kind === 'confirm' && !isRegionConfirmed)
    return `${law.name} allows surcharges only when confirmed with counsel`
  if (networkCapOn(card.brand, on)?.basisPoints === 0) return `${networkName(card.brand)} allows no surcharge`
  return null
}

function lowestCapOf({ card, region, on }: FeeCase): Cap | null {
  const network = networkCapOn(card.brand, on)
  const law = regionRuleOn(region, on)
  const capOfRegion = law?.kind === 'capped' ? law : null
  if (!network || !capOfRegion) return network ?? capOfRegion
  return capOfRegion.basisPoints < network.basisPoints ? capOfRegion : network
}

// A convenience fee is for the way of paying, so the card's kind and the caps on surcharges do not matter.
function convenienceOn({ rule, card, on }: FeeCase<Convenience>, base: Money): Finding {
  const { fixed, basisPoints } = rule
  if (basisPoints === 0) return { fee: fixed, cap: null, reason: 'the fixed amount' }
  if (!allowsConveniencePercent(card.brand, on)) {
    const reason = `the fixed amount alone, because ${networkName(card.brand)} allows no percentage`
    return { fee: fixed, cap: null, reason }
  }
  const fee = addMoney(fixed, feeAt(basisPoints, base))
  return { fee, cap: null, reason: 'the fixed amount and the percentage' }
}

function nothing({ currency }: Money, reason: string): Finding {
  return { fee: { minor: 0n, currency }, cap: null, reason }
}

function printCap({ name, basisPoints }: Cap): string {
  return `${name} ${printPercent(basisPoints)}`
}
