import { dateWords, fill, moneyWords, type Tongue } from '#capabilities/payer-words/tongue.ts'
import type { Money } from '#kernel/money.ts'

// A card that its payer has let a merchant keep.
export type KeptCard = { readonly limitPerCharge: Money; readonly endsOn: Temporal.PlainDate }

// Told after payment in the words of what was agreed: for how much, until when, and how to end it.
export function keptWords({ limitPerCharge, endsOn }: KeptCard, merchant: string, tongue: Tongue): string {
  const limit = moneyWords(limitPerCharge, tongue)
  return fill(tongue.words.kept, { merchant, limit, until: dateWords(endsOn, tongue) })
}
