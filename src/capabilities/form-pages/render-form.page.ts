import { noticePage, paidPage } from '#capabilities/form-pages/form-ends.page.ts'
import { priceOf } from '#capabilities/form-payments/form-price.ts'
import { type Scene, shellOf, type Typed } from '#capabilities/form-pages/form-scene.page.ts'
import { formShell, withMember } from '#capabilities/form-pages/form-shell.page.ts'
import { formOptions } from '#capabilities/forms/form.ts'
import { openPage } from '#capabilities/form-pages/open-form.page.ts'
import type { FormView } from '#capabilities/form-payments/show-form.operation.ts'
import { keptWords } from '#capabilities/payer-words/kept-card.ts'
import { planWords } from '#capabilities/payer-words/plan-words.ts'
import {
  feeWords,
  fill,
  meansWords,
  moneyWords,
  timeWords,
  type Tongue,
} from '#capabilities/payer-words/tongue.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import type { Html } from '#kernel/html.ts'

export type Rendered = { readonly status: number; readonly page: Html }

const merchantSeconds = 3
// A page that is opened again later stays.
const redirectWithinSeconds = 60
const pendingSeconds = 5

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

function pendingPage(view: FormView, scene: Scene): Html {
  const { words } = scene.tongue
  const goesOn = { seconds: pendingSeconds, to: scene.address, isLeftToScript: true }
  const facts = { origins: view.form.origins, pending: scene.addressOf('state') }
  const reference = String(view.attempt?.attemptId ?? '')
  const text = formOptions(view.form).pays ? words.pending_text : words.pending_save_text
  const action = { href: scene.address, label: words.look_again }
  return formShell(
    shellOf(view, scene, { title: words.pending, goesOn, facts }),
    noticePage({ sign: 'asking', title: words.pending, text, reference, action }, scene.tongue),
  )
}

function overPage(view: FormView, scene: Scene): Html {
  const { form, merchant, standing } = view
  const { words } = scene.tongue
  const time = timeWords(form.expiresAt, merchant.timeZone, scene.tongue)
  const isExpired = standing === 'expired'
  const title = isExpired ? words.expired : words.closed
  const text = fill(isExpired ? words.expired_text : words.closed_text, { time, merchant: merchant.name })
  const sign = isExpired ? 'clock' : 'attention'
  const main = noticePage({ sign, title, text, reference: '' }, scene.tongue)
  const facts = { origins: form.origins, tells: formOptions(form).tellsParent, problem: title }
  return formShell(shellOf(view, scene, { title, facts }), main)
}

function alreadyPage(view: FormView, scene: Scene): Html {
  const { words } = scene.tongue
  const title = formOptions(view.form).pays ? words.already : words.already_saved
  const text = fill(words.already_text, { merchant: view.merchant.name })
  const main = noticePage({ sign: 'check', title, text, reference: '' }, scene.tongue)
  return formShell(shellOf(view, scene, { title }), main)
}

// A debit can come back days after it was taken.
function undonePage(view: FormView, scene: Scene, kind: 'returned_debit' | 'voided_debit'): Html {
  const { words } = scene.tongue
  const title = words[kind]
  const text = fill(words[`${kind}_text`], { merchant: view.merchant.name })
  const reference = String(view.attempt?.attemptId ?? '')
  const main = noticePage({ sign: 'attention', title, text, reference }, scene.tongue)
  return formShell(shellOf(view, scene, { title }), main)
}

function donePage(view: FormView, scene: Scene): Html {
  if (view.bankDebit?.status === 'returned' || view.bankDebit?.status === 'failed')
    return undonePage(view, scene, 'returned_debit')
  if (view.bankDebit?.status === 'void') return undonePage(view, scene, 'voided_debit')
  const { form, merchant, attempt } = view
  const { tongue, redirect } = scene
  const { words } = tongue
  const { pays, ending } = formOptions(form)
  const amount = attempt && pays ? moneyWords(attempt.approved.total, tongue) : ''
  const isOrdered = attempt?.kind === 'bank_debit'
  const done = form.plan ? planWords(tongue).made : words.saved
  const title = pays ? fill(isOrdered ? words.ordered : words.paid, { amount }) : done
  const isAutomatic = isTakenBack(view, scene)
  const back = redirect ? { href: redirect, host: new URL(redirect).host, isAutomatic } : null
  const main = paidPage(
    {
      isOrdered,
      title,
      subtitle: fill(pays || form.plan ? words.paid_to : words.saved_with, { merchant: merchant.name }),
      note: isOrdered ? words.bank_paid : '',
      rows: rowsOf(view, tongue),
      kept: view.keptCard ? keptWords(view.keptCard, merchant.name, tongue) : '',
      mailed: mailedWords(view, tongue),
      receipt: pays ? scene.addressOf('receipt') : '',
      copiesShown: ending === 'both_receipts' ? 2 : ending === 'customer_receipt' ? 1 : 0,
      back,
      stay: withMember(scene.address, 'stay=1'),
    },
    tongue,
  )
  const facts = { origins: form.origins, message: scene.message }
  const goesOn =
    isAutomatic && redirect ? { seconds: merchantSeconds, to: redirect, isLeftToScript: false } : null
  return formShell(shellOf(view, scene, { title, facts, goesOn }), main)
}

// Whether the page goes to the merchant by itself.
export function isTakenBack({ form, now }: FormView, { redirect, stays }: Scene): boolean {
  if (redirect === null || stays || form.paidAt === null) return false
  return now.since(form.paidAt).total('seconds') < redirectWithinSeconds
}

// To the address that the payer gave with this payment, and only where a receipt was wished for.
function mailedWords({ form }: FormView, { words }: Tongue): string {
  const email = form.said.receiptEmail
  return email === '' || !formOptions(form).pays ? '' : fill(words.receipt_mailed, { email })
}

function rowsOf({ form, merchant, attempt }: FormView, tongue: Tongue) {
  const { words } = tongue
  if (!attempt) return []
  const { details, approved } = attempt
  const isDebit = attempt.kind === 'bank_debit'
  const means = meansWords(isDebit ? { ...details, brand: '' } : details, tongue)
  const hasFee = approved.fee.minor > 0n
  const { pays, fields } = formOptions(form)
  const rows: readonly (readonly [string, string])[] = [
    // What the form did not show is the merchant's own.
    [words.clientRef, fields.clientRef === 'hidden' ? '' : details.clientRef],
    [words.date, timeWords(attempt.createdAt, merchant.timeZone, tongue)],
    [pays ? words.paid_with : words.method_card, means],
    [words.subtotal, hasFee ? moneyWords(approved.base, tongue) : ''],
    [feeWords(rateOf(merchant, attempt), tongue), hasFee ? moneyWords(approved.fee, tongue) : ''],
    // No bank has seen a debit yet; its code is one of ours.
    [words.approval, isDebit ? '' : attempt.approvalCode],
    [words.reference, String(attempt.attemptId)],
    [words.statement, pays ? merchant.name.toUpperCase().slice(0, 22) : ''],
  ]
  return rows.filter(([, value]) => value !== '').map(([label, value]) => ({ label, value }))
}

// Of the surcharge that was paid; 0 where the rule of the record does not explain the fee, or no longer.
function rateOf(merchant: Merchant, { details, approved, createdAt }: Attempt): number {
  const today = dateIn(merchant.timeZone, createdAt)
  const card = { brand: details.brand, kind: 'credit' } as const
  const { fee, surchargeBasisPoints } = priceOf(approved.base, { merchant, today, card, asked: null })
  return fee.minor === approved.fee.minor ? surchargeBasisPoints : 0
}

const signs = { missing: 'question', slow: 'clock', fault: 'attention' } as const

// For addresses that lead to no form, for whoever has opened too many of those, and for faults of ours.
export function noFormPage(
  { tongue, assets, isSandbox }: Pick<Scene, 'tongue' | 'assets' | 'isSandbox'>,
  kind: keyof typeof signs,
): Html {
  const { words } = tongue
  const look = formOptions({ masks: { visible: 0, readOnly: 0, styles: 0, submission: 0 } }).look
  const shell = { tongue, assets, isSandbox, look, title: words[kind], theme: '', merchant: null }
  const text = words[`${kind}_text`]
  return formShell(
    { ...shell, address: '/PayForm/PF.aspx?s=', facts: {}, goesOn: null },
    noticePage({ sign: signs[kind], title: words[kind], text, reference: '' }, tongue),
  )
}
