import { type AgreedPlan, goingOnWords } from '#capabilities/payer-words/plan-words.ts'
import { dateWords, fill, moneyWords, type Tongue } from '#capabilities/payer-words/tongue.ts'
import { chosenLimits } from '#engine/merchants/merchant.ts'
import type { Money } from '#kernel/money.ts'

// A card that its payer has let a merchant keep.
export type KeptCard = {
  readonly limitPerCharge: Money
  readonly limitLifetime: Money
  readonly endsOn: Temporal.PlainDate
  // Whose payments it is kept for; null: for whatever the payer owes.
  readonly plan?: AgreedPlan | null
}

// Shown after payment in the words of what was agreed: for how much, until when, and how to end it.
export function keptWords(kept: KeptCard, merchant: string, tongue: Tongue): string {
  if (kept.plan) return goingOnWords(kept.plan, merchant, tongue)
  const { words } = tongue
  const scope = limitWords(kept, tongue)
  const blanks = { merchant, scope, until: dateWords(kept.endsOn, tongue) }
  return fill(scope === '' ? words.kept_plain : words.kept, blanks)
}

type Limits = Pick<KeptCard, 'limitPerCharge' | 'limitLifetime'>

// "up to $500.00 a charge"; empty where the merchant has chosen no limit.
function limitWords({ limitPerCharge, limitLifetime }: Limits, tongue: Tongue): string {
  const kind = limitKind({ limitPerCharge, limitLifetime })
  if (kind === null) return ''
  return fill(tongue.words[`scope_${kind}`], limitBlanks({ limitPerCharge, limitLifetime }, tongue))
}

export function limitKind({ limitPerCharge, limitLifetime }: Limits): 'charge' | 'lifetime' | 'both' | null {
  const { perCharge, lifetime } = chosenLimits({
    currency: limitPerCharge.currency,
    limitPerChargeMinor: limitPerCharge.minor,
    limitLifetimeMinor: limitLifetime.minor,
  })
  if (perCharge && lifetime) return 'both'
  return perCharge ? 'charge' : lifetime ? 'lifetime' : null
}

export function limitBlanks({ limitPerCharge, limitLifetime }: Limits, tongue: Tongue) {
  return { limit: moneyWords(limitPerCharge, tongue), lifetime: moneyWords(limitLifetime, tongue) }
}
