import { savingWords } from '#capabilities/forms/agreement.ts'
import { noticePage, paidPage } from '#capabilities/forms/form-ends.page.ts'
import { formShell, type Shell } from '#capabilities/forms/form-shell.page.ts'
import {
  dateWords,
  fill,
  moneyWords,
  timeWords,
  type Tongue,
  type Words,
} from '#capabilities/forms/form-words.ts'
import { formOptions } from '#capabilities/forms/form.ts'
import { payPage, type PayPage } from '#capabilities/forms/pay-form.page.ts'
import {
  asksFullName,
  isAmerican,
  type Problems,
  type SentFields,
} from '#capabilities/forms/read-submission.ts'
import type { FormView } from '#capabilities/forms/show-form.operation.ts'
import { printPercent } from '#engine/fees/percent.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import { exponentOf } from '#kernel/currency.ts'
import type { Html } from '#kernel/html.ts'
import { printMoney } from '#kernel/money.ts'

// What the transport knows beyond the form itself.
export type Scene = {
  readonly tongue: Tongue
  readonly assets: Shell['assets']
  // Of this form, with its token.
  readonly address: string
  // The same for another page of it: 'receipt', 'extend' and so on.
  readonly addressOf: (page: string) => string
  readonly isSandbox: boolean
  readonly takesAch: boolean
  // Where the payer is sent after payment; null for nowhere.
  readonly redirect: string | null
  // What the page that embeds this one is told after payment.
  readonly message: string
}

export type Rendered = { readonly status: number; readonly page: Html }

const merchantSeconds = 2
const pendingSeconds = 5

export type Typed = {
  readonly sent: SentFields
  readonly problems: Problems
  readonly alert: PayPage['alert']
}

// The form as it really is now.
export function renderForm(view: FormView, scene: Scene, typed: Typed | null = null): Rendered {
  switch (view.standing) {
    case 'open':
      return { status: typed ? 422 : 200, page: openPage(view, scene, typed) }
    case 'paying':
      return { status: 200, page: pendingPage(view, scene) }
    case 'paid':
      return { status: 410, page: view.isPayingBrowser ? donePage(view, scene) : alreadyPage(view, scene) }
    case 'expired':
    case 'closed':
      return { status: 410, page: overPage(view, scene) }
  }
}

export function shellOf({ form, merchant }: FormView, scene: Scene, changes: Partial<Shell> = {}): Shell {
  const options = formOptions(form)
  const { words } = scene.tongue
  return {
    tongue: scene.tongue,
    title: fill(options.pays ? words.pay_to : words.save_to, { merchant: merchant.name }),
    assets: scene.assets,
    theme: form.colors === '' ? '' : `/PayForm/theme/${form.colors}.css`,
    look: options.look,
    merchant: { name: merchant.name, place: merchant.location, phone: form.phone },
    address: scene.address,
    isSandbox: scene.isSandbox,
    facts: { origins: form.origins },
    goesOn: null,
    ...changes,
  }
}

function openPage(view: FormView, scene: Scene, typed: Typed | null): Html {
  const { form, merchant, now } = view
  const { tongue } = scene
  const secondsLeft = Math.floor(form.expiresAt.since(now).total('seconds'))
  const facts = {
    origins: form.origins,
    state: scene.addressOf('state'),
    fee: merchant.feeKind === 'none' ? '' : scene.addressOf('fee'),
    extend: form.isExtended ? '' : scene.addressOf('extend'),
    secondsLeft,
    locale: tongue.locale,
    currency: form.currency,
    digits: exponentOf(form.currency),
    american: isAmerican(form.payer.country),
    today: todayOf(view).toString(),
    words: scriptWords(tongue.words, merchant),
  }
  return formShell(shellOf(view, scene, { facts }), payPage(pageOf(view, scene, typed)))
}

function todayOf({ merchant, now }: FormView): Temporal.PlainDate {
  return now.toZonedDateTimeISO(merchant.timeZone).toPlainDate()
}

function pageOf(view: FormView, scene: Scene, typed: Typed | null): PayPage {
  const { form, merchant, pageKey } = view
  const { tongue, takesAch } = scene
  const { words } = tongue
  const options = formOptions(form)
  const amountText = form.amount ? moneyWords(form.amount, tongue) : ''
  const today = todayOf(view)
  const blanks = { merchant: merchant.name, amount: amountText, date: dateWords(today, tongue) }
  return {
    tongue,
    options,
    merchantName: merchant.name,
    action: scene.address,
    pageKey,
    totalMinor: String(form.amount?.minor ?? 0n),
    amountText,
    hasFees: merchant.feeKind !== 'none',
    feeAhead: feeAheadOf(merchant, tongue),
    takesAch,
    isAmerican: isAmerican(form.payer.country),
    asksHolderName: !options.hasFullName && asksFullName({ ...options, payer: form.payer, isBank: true }),
    bankWords: fill(words.bank_words, blanks),
    saving: options.saving === 'none' ? null : savingWords({ merchant, today, tongue }),
    values: valuesOf(view, typed),
    problems: new Map(
      [...(typed?.problems ?? [])].map(([name, problem]) => [name, fill(words[problem], blanks)]),
    ),
    alert: typed?.alert ?? alertOf(view, tongue),
    cancel: cancelOf(form.redirectUrl),
    isSandbox: scene.isSandbox,
    moreTime: scene.addressOf('extend'),
  }
}

function feeAheadOf(merchant: Merchant, tongue: Tongue): string {
  const { feeKind, feeBasisPoints, feeFixedMinor, currency } = merchant
  const { words } = tongue
  if (feeKind === 'none') return ''
  if (feeKind === 'convenience') {
    return fill(words.fee_ahead_fixed, { fee: moneyWords({ minor: feeFixedMinor, currency }, tongue) })
  }
  return fill(words.fee_ahead_percent, { percent: printPercent(feeBasisPoints).replace(/ ?%$/, '') })
}

const neverKept: ReadonlySet<string> = new Set(['number', 'expiry', 'code', 'account', 'routing'])

// What the merchant's system knows, and over it what the payer typed. Nothing of a card or bank account is
// written back into a page.
function valuesOf({ form }: FormView, typed: Typed | null): ReadonlyMap<string, string> {
  const { payer, clientRef, guid, amount } = form
  const name = [payer.firstName, payer.lastName].filter(Boolean).join(' ')
  const { firstName, lastName, street, city, state, zip, email } = payer
  const known = { firstName, lastName, name, street, city, state, zip, email, clientRef, guid }
  const kept = [...(typed?.sent ?? [])].filter(([key]) => !neverKept.has(key))
  return new Map([...Object.entries({ ...known, amount: amount ? printMoney(amount) : '' }), ...kept])
}

function alertOf({ decline }: FormView, { words }: Tongue): PayPage['alert'] {
  return decline ? { title: words[decline], text: words[`${decline}_text`] } : null
}

function cancelOf(redirectUrl: string): PayPage['cancel'] {
  return redirectUrl === '' ? null : { href: redirectUrl, host: new URL(redirectUrl).host }
}

function scriptWords(words: Words, merchant: Merchant): Readonly<Record<string, string>> {
  const names = [
    'pay',
    'pay_plain',
    'paying',
    'saving',
    'talking',
    'working',
    'things_one',
    'things',
    'offline',
    'offline_text',
    'code_help_three',
    'code_help_four',
    'number_missing',
    'number_short',
    'number_wrong',
    'expiry_form',
    'expiry_past',
    'code_three',
    'code_four',
    'zip_missing',
    'zip_form',
    'street_missing',
    'name_missing',
    'email_form',
    'amount_form',
    'agree_missing',
    'save_missing',
    'routing_form',
    'account_form',
    'more_time_text',
    'review',
  ] as const
  return Object.fromEntries(names.map((name) => [name, fillMerchant(words[name], merchant)]))
}

function fillMerchant(sentence: string, { name }: Merchant): string {
  return sentence.replaceAll('{merchant}', name)
}

function pendingPage(view: FormView, scene: Scene): Html {
  const { words } = scene.tongue
  const goesOn = { seconds: pendingSeconds, to: scene.address }
  const facts = { origins: view.form.origins, pending: scene.addressOf('state') }
  const reference = String(view.attempt?.attemptId ?? '')
  return formShell(
    shellOf(view, scene, { title: words.pending, goesOn, facts }),
    noticePage({ kind: 'pending', title: words.pending, text: words.pending_text, reference }, scene.tongue),
  )
}

function overPage(view: FormView, scene: Scene): Html {
  const { form, merchant, standing } = view
  const { words } = scene.tongue
  const time = timeWords(form.expiresAt, merchant.timeZone, scene.tongue)
  const isExpired = standing === 'expired'
  const title = isExpired ? words.expired : words.closed
  const text = fill(isExpired ? words.expired_text : words.closed_text, { time, merchant: merchant.name })
  const main = noticePage({ kind: 'quiet', title, text, reference: '' }, scene.tongue)
  return formShell(shellOf(view, scene, { title }), main)
}

function alreadyPage(view: FormView, scene: Scene): Html {
  const { words } = scene.tongue
  const title = formOptions(view.form).pays ? words.already : words.already_saved
  const text = fill(words.already_text, { merchant: view.merchant.name })
  const main = noticePage({ kind: 'quiet', title, text, reference: '' }, scene.tongue)
  return formShell(shellOf(view, scene, { title }), main)
}

const brandNames: Readonly<Record<CardBrand, string>> = {
  VI: 'Visa',
  MC: 'Mastercard',
  AE: 'American Express',
  DS: 'Discover',
  DC: 'Diners Club',
  JC: 'JCB',
  UP: 'UnionPay',
  '': '',
}

function donePage(view: FormView, scene: Scene): Html {
  const { form, merchant, attempt } = view
  const { tongue, redirect } = scene
  const { words } = tongue
  const { pays, ending } = formOptions(form)
  const amount = attempt && pays ? moneyWords(attempt.approved.total, tongue) : ''
  const title = pays ? fill(words.paid, { amount }) : words.saved
  const back = redirect ? { href: redirect, host: new URL(redirect).host, isAutomatic: true } : null
  const main = paidPage(
    {
      title,
      subtitle: fill(words.paid_to, { merchant: merchant.name }),
      note: attempt?.kind === 'bank_debit' ? words.bank_paid : '',
      rows: rowsOf(view, tongue),
      receipt: pays ? scene.addressOf('receipt') : '',
      isReceiptShown: ending === 'both_receipts' || ending === 'customer_receipt',
      back,
    },
    tongue,
  )
  const facts = { origins: form.origins, message: scene.message }
  const goesOn = redirect ? { seconds: merchantSeconds, to: redirect } : null
  return formShell(shellOf(view, scene, { title, facts, goesOn }), main)
}

function rowsOf({ form, merchant, attempt }: FormView, tongue: Tongue) {
  const { words } = tongue
  if (!attempt) return []
  const { details, approved } = attempt
  const with_ = attempt.kind === 'bank_debit' ? words.account_ending : words.ending
  const means = fill(with_, { brand: brandNames[details.brand], last: details.lastFour })
  const hasFee = approved.fee.minor > 0n
  const rows: readonly (readonly [string, string])[] = [
    [words.date, timeWords(form.paidAt ?? attempt.createdAt, merchant.timeZone, tongue)],
    [words.paid_with, means],
    [words.subtotal, hasFee ? moneyWords(approved.base, tongue) : ''],
    [words.fee_line, hasFee ? moneyWords(approved.fee, tongue) : ''],
    [words.approval, attempt.approvalCode],
    [words.reference, String(attempt.attemptId)],
    [words.statement, formOptions(form).pays ? merchant.name.toUpperCase().slice(0, 22) : ''],
  ]
  return rows.filter(([, value]) => value !== '').map(([label, value]) => ({ label, value }))
}

// For addresses that lead to no form, and for faults of ours.
export function noFormPage(
  { tongue, assets, isSandbox }: Pick<Scene, 'tongue' | 'assets' | 'isSandbox'>,
  kind: 'missing' | 'fault',
): Html {
  const { words } = tongue
  const look = formOptions({ masks: { visible: 0, readOnly: 0, styles: 0, submission: 0 } }).look
  const shell = { tongue, assets, isSandbox, look, title: words[kind], theme: '', merchant: null }
  const text = words[`${kind}_text`]
  return formShell(
    { ...shell, address: '/PayForm/PF.aspx?s=', facts: {}, goesOn: null },
    noticePage({ kind: 'quiet', title: words[kind], text, reference: '' }, tongue),
  )
}
