import { hash } from 'node:crypto'
import { dateWords, fill, moneyWords, type Tongue } from '#capabilities/forms/form-words.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { Money } from '#kernel/money.ts'

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

type BankDebit = Saving & {
  // null where the payer types it.
  readonly amount: Money | null
}

// The authorization that stands above the button where a bank account is debited.
export function bankWords({ merchant, today, tongue, amount }: BankDebit): string {
  const { words } = tongue
  return fill(words.bank_words, {
    merchant: merchant.name,
    amount: amount ? moneyWords(amount, tongue) : words.the_amount,
    date: dateWords(today, tongue),
  })
}

// Names the words that a page shows, so that nobody agrees to others: at midnight, or when the merchant
// record changes meanwhile, they are no longer the same.
export function nameOfWords(words: BankDebit): string {
  return hash('sha256', `${savingWords(words).full}\n${bankWords(words)}`).slice(0, 16)
}
