import { bankWords, nameOfWords, savingWords, wordsOn } from '#capabilities/form-payments/agreement.ts'
import { feeAheadOf, feeLabelOf, feeMostOf } from '#capabilities/form-payments/fee-ahead.ts'
import { type Scene, shellOf, type Typed } from '#capabilities/form-pages/form-scene.page.ts'
import { formShell } from '#capabilities/form-pages/form-shell.page.ts'
import { hasFees } from '#capabilities/forms/has-fees.ts'
import { type Form, formOptions } from '#capabilities/forms/form.ts'
import type { PayPage } from '#capabilities/form-pages/form-parts.page.ts'
import { declineWords } from '#capabilities/form-pages/decline-words.ts'
import { blanksOf, problemWords } from '#capabilities/form-pages/problem-words.ts'
import { stateLabel, zipLabel } from '#capabilities/form-pages/form-place.page.ts'
import { planShown, titleOf } from '#capabilities/form-pages/form-plan.page.ts'
import { payPage, testNumbers } from '#capabilities/form-pages/pay-form.page.ts'
import { asksCountry } from '#capabilities/form-payments/read-place.ts'
import { asksFullName } from '#capabilities/form-payments/read-submission.ts'
import type { FormView } from '#capabilities/form-payments/show-form.operation.ts'
import { planWords } from '#capabilities/payer-words/plan-words.ts'
import { moneyWords, type Tongue } from '#capabilities/payer-words/tongue.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { countryOfRegion } from '#engine/merchants/region.ts'
import { countryFrom, isCountryCode } from '#kernel/country.ts'
import { exponentOf } from '#kernel/currency.ts'
import type { Html } from '#kernel/html.ts'
import { printMoney } from '#kernel/money.ts'
import { postalRules } from '#kernel/postal-code.ts'

// A form that can be paid now.
export function openPage(view: FormView, scene: Scene, typed: Typed | null): Html {
  const { form, now } = view
  const { tongue } = scene
  const secondsLeft = Math.floor(form.expiresAt.since(now).total('seconds'))
  const facts = {
    origins: form.origins,
    tells: formOptions(form).tellsParent,
    state: scene.addressOf('state'),
    amex: scene.added?.onFile?.isAmex ?? false,
    onFile: scene.added?.onFileQuote ?? null,
    fee: canCost(view) ? scene.addressOf('fee') : '',
    extend: form.isExtended ? '' : scene.addressOf('extend'),
    secondsLeft,
    locale: tongue.locale,
    currency: form.currency,
    digits: exponentOf(form.currency),
    brands: form.brands,
    ...placeFacts(form, tongue),
    today: todayOf(view).toString(),
    words: scriptWords(view, tongue),
  }
  const page = pageOf(view, scene, typed)
  const tests = scene.isSandbox ? testNumbers(page) : ''
  return formShell(shellOf(view, scene, { facts, tests }), payPage(page))
}

// How postal codes look, and what they and states are called, for the script.
function placeFacts(form: Form, { words }: Tongue) {
  if (!asksCountry(formOptions(form).fields)) return {}
  const postal = Object.entries(postalRules).map(([country, { pattern, example }]) => [
    country,
    [zipLabel(country, words), pattern, example],
  ])
  return { postal: Object.fromEntries(postal), provinces: stateLabel('CA', words), states: words.state }
}

// What was sent or chosen; else the country of the merchant record, of the payer's language, or of the
// currency: the likeliest goes first.
function countryShown({ form, merchant }: FormView, { locale }: Tongue, typed: Typed | null): string {
  const guesses = [
    typed?.sent.get('country') ?? '',
    countryFrom(form.payer.country),
    countryOfRegion(merchant.region),
    new Intl.Locale(locale).region ?? '',
    form.currency.slice(0, 2),
  ]
  return guesses.find(isCountryCode) ?? 'US'
}

function todayOf({ merchant, now }: FormView): Temporal.PlainDate {
  return dateIn(merchant.timeZone, now)
}

function pageOf(view: FormView, scene: Scene, typed: Typed | null): PayPage {
  const { form, merchant, pageKey } = view
  const { tongue, takesAch } = scene
  const { words } = tongue
  const options = formOptions(form)
  const amountText = form.amount ? moneyWords(form.amount, tongue) : ''
  const today = todayOf(view)
  const isAsked = options.fields.amount === 'asked'
  const amount = isAsked ? words.the_amount : amountText
  const agreed = wordsOn(view, tongue)
  const feeCase = {
    merchant,
    today,
    brands: form.brands,
    asked: form.fee,
    base: isAsked ? null : form.amount,
  }
  return {
    tongue,
    options,
    title: titleOf(view, tongue),
    plan: planShown(view, tongue),
    merchantName: merchant.name,
    action: scene.address,
    pageKey,
    totalMinor: String(form.amount?.minor ?? 0n),
    amountText,
    amountNamed: amount,
    hasFees: canCost(view),
    feeAhead: feeAheadOf(feeCase, tongue),
    feeMost: feeMostOf(feeCase, tongue),
    feeLabel: feeLabelOf(feeCase, tongue),
    takesAch,
    country: countryShown(view, tongue, typed),
    knownCountry: countryFrom(form.payer.country),
    asksHolderName: !options.hasFullName && asksFullName({ ...options, payer: form.payer, isBank: true }),
    bankWords: bankWords(agreed),
    wordsName: nameOfWords(agreed),
    saving: options.saving === 'none' ? null : savingWords(agreed),
    values: valuesOf(view, typed),
    problems: typed ? problemWords(view, tongue, typed) : new Map(),
    alert: typed?.alert ?? alertOf(view, tongue),
    cancel: cancelOf(form.redirectUrl),
    isEncrypted: scene.isEncrypted,
    brands: form.brands,
    hasBankCheck: merchant.isInternational,
    moreTime: scene.addressOf('extend'),
    about: scene.added?.about ?? '',
    onFile: options.pays ? (scene.added?.onFile ?? null) : null,
  }
}

// A form whose fee is 0 by its own terms does not speak of fees.
function canCost({ form, merchant }: FormView): boolean {
  return hasFees(merchant) && form.fee?.minor !== 0n
}

const neverKept: ReadonlySet<string> = new Set(['number', 'expiry', 'code', 'fileCode', 'account', 'routing'])

// What the merchant's system knows, and over it what the payer typed. Nothing of a card or bank account is
// written back into a page.
function valuesOf({ form }: FormView, typed: Typed | null): ReadonlyMap<string, string> {
  const { payer, clientRef, guid, amount } = form
  const name = [payer.firstName, payer.lastName].filter(Boolean).join(' ')
  const { firstName, lastName, street, city, state, zip, country, email } = payer
  const known = { firstName, lastName, name, street, city, state, zip, country, email, clientRef, guid }
  const isKept = (key: string) => !neverKept.has(key) && typed?.problems.get(key) !== 'card_in_text'
  const kept = [...(typed?.sent ?? [])].filter(([key]) => isKept(key))
  return new Map([...Object.entries({ ...known, amount: amount ? printMoney(amount) : '' }), ...kept])
}

function alertOf({ decline, merchant }: FormView, { words }: Tongue): PayPage['alert'] {
  return decline && declineWords(decline, merchant, words)
}

function cancelOf(redirectUrl: string): PayPage['cancel'] {
  return redirectUrl === '' ? null : { href: redirectUrl, host: new URL(redirectUrl).host }
}

function scriptWords(view: FormView, tongue: Tongue): Readonly<Record<string, string>> {
  const { words } = tongue
  const names = [
    'pay',
    'no_fee',
    'fee_included',
    'pay_plain',
    'total_from',
    'save_button',
    'agree',
    'the_amount',
    'paying',
    'saving',
    'talking',
    'working',
    'things_one',
    'things',
    'offline',
    'offline_text',
    'offline_save_text',
    'not_paid',
    'not_saved',
    'not_paid_text',
    'not_arrived_text',
    'code_help_three',
    'code_help_four',
    'number_missing',
    'number_short',
    'number_wrong',
    'brand_not_taken',
    'expiry_form',
    'expiry_past',
    'code_three',
    'code_four',
    'zip_missing',
    'zip_form',
    'zip_like',
    'zip_any_form',
    'street_missing',
    'name_missing',
    'email_form',
    'amount_form',
    'agree_missing',
    'save_missing',
    'routing_missing',
    'routing_form',
    'account_form',
    'more_time_text',
    'more_time_one',
    'review',
  ] as const
  const blanks = Object.entries(blanksOf(view, tongue))
  const fillIn = (sentence: string) =>
    blanks.reduce((text, [name, value]) => text.replaceAll(`{${name}}`, value), sentence)
  const { button: save_button, missing: save_missing } = planWords(tongue)
  const ofPlan = view.form.plan ? { save_button, save_missing } : {}
  return { ...Object.fromEntries(names.map((name) => [name, fillIn(words[name])])), ...ofPlan }
}
