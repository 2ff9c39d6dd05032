import type { FormFacts } from '#capabilities/form-payments/form-facts.ts'
import { placeOf, type PlaceProblem } from '#capabilities/form-payments/read-place.ts'
import type { FormOptions } from '#capabilities/forms/form-options.ts'
import { formOptions, type FormPayer } from '#capabilities/forms/form.ts'
import { readEmail } from '#capabilities/messages/recipient.ts'
import type { GivenCard } from '#capabilities/wire/card-info.wire.ts'
import { BankAccountNumber } from '#kernel/bank-account-number.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import { type CardExpiry, cardExpiry, isExpiredOn } from '#kernel/card-expiry.ts'
import { holdsCardNumber } from '#kernel/card-in-text.ts'
import { CardNumber } from '#kernel/card-number.ts'
import { exponentOf } from '#kernel/currency.ts'
import { parseDecimal } from '#kernel/decimal.ts'
import { directionMarks } from '#kernel/direction-marks.ts'
import { isMoreThan, type Money, moneyFromDecimal } from '#kernel/money.ts'
import { isRoutingNumber } from '#kernel/nacha/routing-number.ts'
import { Secret } from '#kernel/secret.ts'

// What a page sends back, by the names of its fields.
export type SentFields = ReadonlyMap<string, string>

export type BankAccountGiven = {
  readonly routingNumber: string
  readonly number: BankAccountNumber
  readonly type: 'checking' | 'savings'
}

export type Submission = {
  readonly means:
    | { readonly kind: 'card'; readonly card: GivenCard }
    | { readonly kind: 'bank'; readonly account: BankAccountGiven }
    | { readonly kind: 'on_file'; readonly securityCode: Secret }
  // null where nothing is paid.
  readonly amount: Money | null
  readonly payer: FormPayer
  readonly clientRef: string
  readonly guid: string
  readonly savesCard: boolean
  // By mail, to the payer's address.
  readonly wantsReceipt: boolean
}

// Why a field cannot be taken; each has a sentence in every language.
export type Problem =
  | 'number_missing'
  | 'number_wrong'
  | 'brand_not_taken'
  | 'expiry_form'
  | 'expiry_past'
  | 'code_three'
  | 'code_four'
  | PlaceProblem
  | 'street_missing'
  | 'name_missing'
  | 'email_form'
  | 'amount_form'
  | 'amount_most'
  | 'agree_missing'
  | 'save_missing'
  | 'routing_missing'
  | 'routing_form'
  | 'account_form'
  | 'too_long'
  | 'card_in_text'
  | 'hidden_marks'
export type Problems = ReadonlyMap<string, Problem>

type Read = { readonly problems: Problems; readonly submission: Submission | null }

// What the payer typed, judged field by field. Whatever the form did not ask for is taken from the form and
// never from the page.
export function readSubmission(facts: FormFacts, sent: SentFields): Read {
  const problems = new Map<string, Problem>()
  const options = formOptions(facts)
  const isBank = isPaidByBank(facts, options, sent)
  const isOnFile = isPaidOnFile(facts, options, sent)
  const said = isOnFile
    ? { ...facts, payer: { ...facts.payer, email: emailOf(facts, options, { sent, problems }) } }
    : personOf(facts, options, { sent, problems, isBank })
  const amount = options.pays ? amountOf(facts, options, { sent, problems }) : null
  const means = isOnFile
    ? onFileOf(facts, sent, problems)
    : isBank
      ? bankOf(sent, problems)
      : cardOf(facts, sent, problems)
  const savesCard = !isBank && !isOnFile && options.saving !== 'none' && sent.has('save')
  if (options.saving === 'needed' && !savesCard) problems.set('save', 'save_missing')
  if (options.asksToAgree && !sent.has('agree')) problems.set('agree', 'agree_missing')
  const isEmailAsked = options.fields.email === 'asked'
  const wantsReceipt = options.pays && (options.asksToMail ? sent.has('mail') : isEmailAsked)
  if (options.asksToMail && wantsReceipt && isEmailAsked && said.payer.email === '')
    problems.set('email', 'email_form')
  if (!means || problems.size > 0) return { problems, submission: null }
  const { payer, clientRef, guid } = said
  return { problems, submission: { means, amount, payer, clientRef, guid, savesCard, wantsReceipt } }
}

// The most that can be paid at once by the means that the payer chose.
export function amountMostOf(facts: FormFacts, sent: SentFields): Money {
  const isBank = isPaidByBank(facts, formOptions(facts), sent)
  const { card, bank } = facts.amountMaxMinor
  return { minor: isBank ? bank : card, currency: facts.currency }
}

function isPaidByBank({ takesAch }: FormFacts, { pays }: FormOptions, sent: SentFields): boolean {
  return takesAch && pays && sent.get('method') === 'bank'
}

function isPaidOnFile({ onFile }: FormFacts, { pays }: FormOptions, sent: SentFields): boolean {
  return Boolean(onFile) && pays && sent.get('method') === 'onfile'
}

type Reading = { readonly sent: SentFields; readonly problems: Map<string, Problem> }

const lengths: Readonly<Record<string, number>> = {
  street: 100,
  zip: 20,
  email: 150,
}
const lengthUsual = 75

function textOf({ sent, problems }: Reading, name: string, mayHoldCard = false): string {
  const text = (sent.get(name) ?? '').replace(/\p{Cc}/gu, ' ').trim()
  if (text.length > (lengths[name] ?? lengthUsual)) problems.set(name, 'too_long')
  if (directionMarks.test(text)) problems.set(name, 'hidden_marks')
  if (!mayHoldCard && holdsCardNumber(text)) problems.set(name, 'card_in_text')
  return text
}

function sentText(reading: Reading, name: string): string | null {
  return reading.sent.has(name) ? textOf(reading, name) : null
}

function personOf(facts: FormFacts, options: FormOptions, reading: Reading & { readonly isBank: boolean }) {
  const { payer } = facts
  const { fields } = options
  const { problems, isBank } = reading
  const said = (field: 'street' | 'city') =>
    fields[field] === 'asked' ? textOf(reading, field) : payer[field]
  const reference = (field: 'clientRef' | 'guid') =>
    fields[field] === 'asked' ? textOf(reading, field, facts.hasCardLikeReferences) : facts[field]
  const names = nameOf(facts, options, reading)
  const person = {
    ...payer,
    ...names,
    street: said('street'),
    city: said('city'),
    ...placeOf(payer, fields, { problems, isBank, textOf: (name) => sentText(reading, name) }),
    email: emailOf(facts, options, reading),
  }
  if (fields.street === 'asked' && person.street === '') problems.set('street', 'street_missing')
  return { payer: person, clientRef: reference('clientRef'), guid: reference('guid') }
}

function emailOf({ payer }: FormFacts, { fields }: FormOptions, reading: Reading): string {
  if (fields.email !== 'asked') return payer.email
  const email = textOf(reading, 'email')
  if (email !== '' && !readEmail(email).ok) reading.problems.set('email', 'email_form')
  return email
}

// The name is asked for where the merchant wants it, and always of the holder of a bank account.
function nameOf(
  { payer }: FormFacts,
  { fields, hasFullName }: FormOptions,
  reading: Reading & { readonly isBank: boolean },
) {
  const { problems, isBank } = reading
  const known = { firstName: payer.firstName, lastName: payer.lastName }
  if (asksFullName({ fields, hasFullName, payer, isBank })) {
    const full = textOf(reading, 'name')
    if (full === '') problems.set('name', 'name_missing')
    const [, first = '', last = full] = /^(.*?)\s+(\S+)$/.exec(full) ?? []
    return { firstName: first, lastName: last }
  }
  const part = (field: 'firstName' | 'lastName') => {
    if (fields[field] !== 'asked') return known[field]
    const text = textOf(reading, field)
    if (text === '') problems.set(field, 'name_missing')
    return text
  }
  return { firstName: part('firstName'), lastName: part('lastName') }
}

type NameCase = Pick<FormOptions, 'fields' | 'hasFullName'> & {
  readonly payer: FormPayer
  readonly isBank: boolean
}

export function asksFullName({ fields, hasFullName, payer, isBank }: NameCase): boolean {
  if (hasFullName) return fields.firstName === 'asked' || fields.lastName === 'asked'
  return isBank && fields.firstName === 'hidden' && payer.firstName === '' && payer.lastName === ''
}

function amountOf(facts: FormFacts, { fields }: FormOptions, { sent, problems }: Reading): Money | null {
  const isAsked = fields.amount === 'asked'
  const amount = isAsked ? typedAmount(facts, { sent, problems }) : facts.amount
  if (amount && isMoreThan(amount, amountMostOf(facts, sent)))
    problems.set(isAsked ? 'amount' : 'account', 'amount_most')
  return amount
}

function typedAmount({ currency }: FormFacts, { sent, problems }: Reading): Money | null {
  const text = (sent.get('amount') ?? '').replace(/[\s$€£]/g, '')
  const decimal = parseDecimal(withPoint(text, exponentOf(currency)))
  const amount = decimal && moneyFromDecimal(decimal, currency)
  if (amount && amount.minor > 0n && text.length <= 20) return amount
  problems.set('amount', 'amount_form')
  return null
}

// 1.234,50 and 1,234.50 are the same sum: the last mark divides the cents if there are not more digits behind
// it than the currency has; every other one stands before three digits. Empty when it is something else,
// 1.234 included, which may be a slip.
export function withPoint(text: string, decimals: number): string {
  const [, before = text, cents = ''] =
    decimals === 0 ? [] : (new RegExp(`^(.*)[.,](\\d{1,${decimals}})$`).exec(text) ?? [])
  if (cents === '' && /^\d+\.\d+$/.test(before)) return ''
  if (!/^(?:\d+|\d{1,3}(?:[.,]\d{3})+)$/.test(before)) return ''
  const whole = before.replace(/[.,]/g, '')
  return cents === '' ? whole : `${whole}.${cents}`
}

function bankOf(sent: SentFields, problems: Map<string, Problem>): Submission['means'] | null {
  const routingNumber = (sent.get('routing') ?? '').replace(/[\s-]/g, '')
  const number = BankAccountNumber.parse(sent.get('account') ?? '')
  if (routingNumber === '') problems.set('routing', 'routing_missing')
  else if (!isRoutingNumber(routingNumber)) problems.set('routing', 'routing_form')
  if (!number) problems.set('account', 'account_form')
  if (!number) return null
  const type = sent.get('type') === 'savings' ? 'savings' : 'checking'
  return { kind: 'bank', account: { routingNumber, number, type } }
}

function onFileOf(
  { onFile }: FormFacts,
  sent: SentFields,
  problems: Map<string, Problem>,
): Submission['means'] {
  return { kind: 'on_file', securityCode: codeOf(onFile?.brand ?? '', { sent, problems, name: 'fileCode' }) }
}

type CodeReading = Reading & { readonly name: 'code' | 'fileCode' }

function codeOf(brand: CardBrand, { sent, problems, name }: CodeReading): Secret {
  const code = (sent.get(name) ?? '').trim()
  const digits = brand === 'AE' ? 4 : 3
  if (!/^\d+$/.test(code) || code.length !== digits)
    problems.set(name, digits === 4 ? 'code_four' : 'code_three')
  return new Secret(code)
}

function cardOf(
  { today, brands }: FormFacts,
  sent: SentFields,
  problems: Map<string, Problem>,
): Submission['means'] | null {
  const typed = sent.get('number') ?? ''
  const number = CardNumber.parse(typed.replace(/[^\d]/g, ''))
  if (!number) problems.set('number', typed.trim() === '' ? 'number_missing' : 'number_wrong')
  else if (!takesBrand(brands, number.brand)) problems.set('number', 'brand_not_taken')
  const expiry = parseExpiry(sent.get('expiry') ?? '')
  if (!expiry) problems.set('expiry', 'expiry_form')
  else if (isExpiredOn(expiry, today)) problems.set('expiry', 'expiry_past')
  const securityCode = codeOf(number?.brand ?? '', { sent, problems, name: 'code' })
  return number && expiry ? { kind: 'card', card: { number, expiry, securityCode } } : null
}

// A network that we do not know is left to the bank.
function takesBrand(brands: readonly CardBrand[], brand: CardBrand): boolean {
  return brands.length === 0 || brand === '' || brands.includes(brand)
}

// 829, 08/29, 8 / 29, 08-2029.
export function parseExpiry(text: string): CardExpiry | null {
  const [, month = '', year = ''] = /^\s*(\d{1,2})\s*[/\-. ]\s*(\d{2}|\d{4})\s*$/.exec(text) ?? []
  if (month !== '') return cardExpiry(Number(month), Number(year))
  const digits = text.replace(/\s/g, '')
  if (/^\d{3}$/.test(digits)) return cardExpiry(Number(digits.slice(0, 1)), Number(digits.slice(1)))
  if (/^\d{4}$/.test(digits) || /^\d{6}$/.test(digits))
    return cardExpiry(Number(digits.slice(0, 2)), Number(digits.slice(2)))
  return null
}
