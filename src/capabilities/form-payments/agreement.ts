import { agreedPlan, type FormPlan } from '#capabilities/forms/form-plan.ts'
import { formOptions } from '#capabilities/forms/form.ts'
import type { FormView } from '#capabilities/form-payments/show-form.operation.ts'
import { hasFees } from '#capabilities/forms/has-fees.ts'
import { limitBlanks, limitKind } from '#capabilities/payer-words/kept-card.ts'
import { planAgreement, planWords } from '#capabilities/payer-words/plan-words.ts'
import { dateWords, fill, moneyWords, type Tongue } from '#capabilities/payer-words/tongue.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { Money } from '#kernel/money.ts'

// What the agreements of a form's page are made of.
type Agreement = {
  readonly merchant: Merchant
  // What the card is saved for; null: for whatever the payer owes.
  readonly plan: FormPlan | null
  readonly today: Temporal.PlainDate
  readonly tongue: Tongue
  readonly pays: boolean
  // null where the payer types it, or where nothing is paid.
  readonly amount: Money | null
}

// What a payer agrees to by saving a card, as it is shown. The full text is stored with the consent, word
// for word. A limit that it names is the consent's own, and one that the merchant has chosen; without such a
// limit the words name what is paid now, and promise none.
export function savingWords(agreement: Agreement) {
  const { merchant, plan, today, tongue } = agreement
  const { words } = tongue
  const name = { merchant: merchant.name }
  if (plan) {
    const { tick, terms } = planWords(tongue)
    const full = planAgreement(agreedPlan(plan, today), merchant.name, tongue)
    return { label: fill(tick, name), terms, full }
  }
  const { currency } = merchant
  const limits = {
    limitPerCharge: { minor: merchant.limitPerChargeMinor, currency },
    limitLifetime: { minor: merchant.limitLifetimeMinor, currency },
  }
  const kind = limitKind(limits) ?? (agreement.pays ? 'amount' : 'open')
  const sums = { ...limitBlanks(limits, tongue), amount: amountNow(agreement) }
  const until = dateWords(today.add({ days: merchant.consentDays }), tongue)
  const scope = fill(words[`scope_${kind}`], sums)
  const allowed = fill(words[`allow_${kind}`], sums)
  return {
    label: fill(words.save, name),
    terms: fill(words.save_terms, { scope: capitalized(scope), until }),
    full: fill(words.save_agreement, { ...name, scope: allowed, until }),
  }
}

function amountNow({ merchant, amount, tongue }: Agreement): string {
  const { words } = tongue
  const sum = amount ? moneyWords(amount, tongue) : words.the_amount
  return hasFees(merchant) ? fill(words.amount_with_fee, { amount: sum }) : sum
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

// The authorization that stands above the button where a bank account is debited.
export function bankWords({ merchant, today, tongue, amount }: Agreement): string {
  const { words } = tongue
  return fill(words.bank_words, {
    merchant: merchant.name,
    amount: amount ? moneyWords(amount, tongue) : words.the_amount,
    date: dateWords(today, tongue),
  })
}

// Names the words that a page shows, so that nobody agrees to others: at midnight, or when the merchant
// record changes meanwhile, they are no longer the same. FNV-1a: a name, no secret.
export function nameOfWords(words: Agreement): string {
  const text = `${savingWords(words).full}\n${bankWords(words)}`
  const name = Array.from(text).reduce(
    (sum, letter) => BigInt.asUintN(64, (sum ^ BigInt(letter.codePointAt(0) ?? 0)) * 0x100_0000_01b3n),
    0xcbf2_9ce4_8422_2325n,
  )
  return name.toString(16)
}

type Page = Pick<FormView, 'form' | 'merchant' | 'now'>

export function wordsOn({ form, merchant, now }: Page, tongue: Tongue): Agreement {
  const { fields, pays } = formOptions(form)
  const today = dateIn(merchant.timeZone, now)
  const amount = fields.amount === 'asked' || !pays ? null : form.amount
  return { merchant, plan: form.plan, tongue, today, pays, amount }
}
