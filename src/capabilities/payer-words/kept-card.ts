import { type AgreedPlan, goingOnWords } from '#capabilities/payer-words/plan-words.ts'
import { dateWords, fill, moneyWords, type Tongue } from '#capabilities/payer-words/tongue.ts'
import type { Money } from '#kernel/money.ts'

// A card that its payer has let a merchant keep.
export type KeptCard = {
  readonly limitPerCharge: Money
  readonly endsOn: Temporal.PlainDate
  // Whose payments it is kept for; null: for whatever the payer owes.
  readonly plan?: AgreedPlan | null
}

// Told after payment in the words of what was agreed: for how much, until when, and how to end it.
export function keptWords(
  { limitPerCharge, endsOn, plan }: KeptCard,
  merchant: string,
  tongue: Tongue,
): string {
  if (plan) return goingOnWords(plan, merchant, tongue)
  const limit = moneyWords(limitPerCharge, tongue)
  return fill(tongue.words.kept, { merchant, limit, until: dateWords(endsOn, tongue) })
}
