import { dateWords, fill, moneyWords, type Tongue } from '#capabilities/forms/form-words.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'

type Saving = {
  readonly merchant: Merchant
  readonly today: Temporal.PlainDate
  readonly tongue: Tongue
}

// What a payer agrees to by saving a card, as it is shown. The full text is stored with the consent, word
// for word.
export function savingWords({ merchant, today, tongue }: Saving) {
  const { currency, limitPerChargeMinor, limitLifetimeMinor, consentDays } = merchant
  const blanks = {
    merchant: merchant.name,
    limit: moneyWords({ minor: limitPerChargeMinor, currency }, tongue),
    lifetime: moneyWords({ minor: limitLifetimeMinor, currency }, tongue),
    until: dateWords(today.add({ days: consentDays }), tongue),
  }
  const { words } = tongue
  return { terms: fill(words.save_terms, blanks), full: fill(words.save_agreement, blanks) }
}
