import { agreedPlan, type FormPlan } from '#capabilities/forms/form-plan.ts'
import { formOptions } from '#capabilities/forms/form.ts'
import type { FormView } from '#capabilities/form-payments/show-form.operation.ts'
import { planAgreement, planWords } from '#capabilities/payer-words/plan-words.ts'
import { dateWords, fill, moneyWords, type Tongue } from '#capabilities/payer-words/tongue.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { Money } from '#kernel/money.ts'

type Saving = {
  readonly merchant: Merchant
  // What the card is saved for; null: for whatever the payer owes.
  readonly plan: FormPlan | null
  readonly today: Temporal.PlainDate
  readonly tongue: Tongue
}

// What a payer agrees to by saving a card, as it is shown. The full text is stored with the consent, word
// for word.
export function savingWords({ merchant, plan, today, tongue }: Saving) {
  const { words } = tongue
  const name = { merchant: merchant.name }
  if (plan) {
    const { tick, terms } = planWords(tongue)
    const full = planAgreement(agreedPlan(plan, today), merchant.name, tongue)
    return { label: fill(tick, name), terms, full }
  }
  const { currency, limitPerChargeMinor, limitLifetimeMinor, consentDays } = merchant
  const blanks = {
    ...name,
    limit: moneyWords({ minor: limitPerChargeMinor, currency }, tongue),
    lifetime: moneyWords({ minor: limitLifetimeMinor, currency }, tongue),
    until: dateWords(today.add({ days: consentDays }), tongue),
  }
  const label = fill(words.save, name)
  return { label, terms: fill(words.save_terms, blanks), full: fill(words.save_agreement, blanks) }
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
// record changes meanwhile, they are no longer the same. FNV-1a: a name, no secret.
export function nameOfWords(words: BankDebit): string {
  const text = `${savingWords(words).full}\n${bankWords(words)}`
  const name = Array.from(text).reduce(
    (sum, letter) => BigInt.asUintN(64, (sum ^ BigInt(letter.codePointAt(0) ?? 0)) * 0x100_0000_01b3n),
    0xcbf2_9ce4_8422_2325n,
  )
  return name.toString(16)
}

// What the agreements of a form's page are made of now.
export function wordsOn({ form, merchant, now }: FormView, tongue: Tongue): BankDebit {
  const isAsked = formOptions(form).fields.amount === 'asked'
  const today = dateIn(merchant.timeZone, now)
  return { merchant, plan: form.plan, tongue, today, amount: isAsked ? null : form.amount }
}
