import { setTimeout as delay } from 'node:timers/promises'
import { type DeclineFamily, declineFamilyOf } from '#capabilities/form-payments/decline-family.ts'
import { chargeFormAccount } from '#capabilities/form-payments/charge-form-account.operation.ts'
import { chargeFormCard } from '#capabilities/form-payments/charge-form-card.operation.ts'
import type { CardOnFile, FormExtras } from '#capabilities/form-payments/form-extras.ts'
import { bankWords, nameOfWords, wordsOn } from '#capabilities/form-payments/agreement.ts'
import type { PayNeeds } from '#capabilities/form-payments/form-payment-needs.ts'
import { factsOf } from '#capabilities/form-payments/form-facts.ts'
import { type FormPrice, priceOf } from '#capabilities/form-payments/form-price.ts'
import { formOptions, type PayerSaid } from '#capabilities/forms/form.ts'
import { postForms } from '#capabilities/forms/post-forms.operation.ts'
import { guardTry, tellDecline, type TryRefused } from '#capabilities/form-payments/guard-tries.operation.ts'
import {
  type Challenge,
  finishFormOrder,
  leaveFormOrder,
  type OrderAnswer,
  startFormOrder,
} from '#capabilities/form-payments/order-by-form.operation.ts'
import {
  type Problems,
  readSubmission,
  type SentFields,
  type Submission,
} from '#capabilities/form-payments/read-submission.ts'
import { browserDigest, type FormView, showForm } from '#capabilities/form-payments/show-form.operation.ts'
import { isConsentRefusal } from '#capabilities/consents/consent-limits.ts'
import type { Tongue } from '#capabilities/payer-words/tongue.ts'
import type { Paid } from '#engine/payments/pay.operation.ts'
import { assert } from '#kernel/assert.ts'
import type { Refusal } from '#kernel/result.ts'
import type { Secret } from '#kernel/secret.ts'
import { randomInt } from 'node:crypto'

export type PayWish = {
  readonly token: Secret
  readonly browser: Secret
  readonly address: string
  readonly tongue: Tongue
  readonly sent: SentFields
  readonly extras?: FormExtras
}

export type PayAnswer =
  | { readonly kind: 'no_form' }
  // The page is not the one that we would show now, or not ours at all: nothing was done.
  | { readonly kind: 'stale' }
  | { readonly kind: 'problems'; readonly problems: Problems }
  // The payer has not seen this total yet.
  | { readonly kind: 'review'; readonly price: FormPrice }
  | TryRefused
  | { readonly kind: 'paid' | 'pending' }
  | { readonly kind: 'declined'; readonly family: DeclineFamily }
  // The payer's bank wants to see the payer. isAgain: it has not answered yet.
  | { readonly kind: 'challenge'; readonly challenge: Challenge; readonly isAgain: boolean }

// Declines take differently long, so that nobody learns anything from their time.
const jitterMs = { least: 200, most: 800 }

// Somebody pressed the button. However often, in however many tabs, and whatever dies meanwhile: the form's
// row lets one attempt at a time begin, and none after a success.
export async function payForm(needs: PayNeeds, wish: PayWish): Promise<PayAnswer> {
  const { sent } = wish
  const view = await showForm(needs, wish)
  if (!view) return { kind: 'no_form' }
  if (view.standing !== 'open' || sent.get('k') !== view.pageKey) return { kind: 'stale' }
  if (sent.has('challenge')) return comeBack(needs, wish, view)
  const onFile = wish.extras?.onFile ?? null
  const { problems, submission } = readSubmission({ ...factsOf(view), onFile }, sent)
  if (!submission) return { kind: 'problems', problems }
  if (!isAgreed(view, wish, submission)) return { kind: 'stale' }
  const price = submission.amount && priceFor(needs, view, { ...submission, onFile })
  if (price && !isSeen(view, sent, price)) return { kind: 'review', price }
  if (needs.sending.hold || (isByCard(submission) && !needs.line.isUp))
    return { kind: 'declined', family: 'unreachable' }
  const tried = {
    form: view.form,
    address: wish.address,
    digits: digitsOf(submission, onFile),
    isCard: submission.means.kind === 'card',
    isZero: price === null,
    proof: sent.get('proof') ?? '',
    ...(wish.extras ? { extras: wish.extras } : {}),
  }
  const made = await guardTry(needs, tried, () => charge(needs, wish, { view, submission, price }))
  return 'answer' in made ? ended(needs, view, made.answer) : made
}

// The payer is back from the bank, or has turned round before it.
async function comeBack(needs: PayNeeds, wish: PayWish, view: FormView): Promise<PayAnswer> {
  const sealed = wish.sent.get('challenge') ?? ''
  const isLeaving = wish.sent.has('leave')
  const isCutOff = needs.sending.hold !== null || !needs.line.isUp
  if (isCutOff && !isLeaving) return { kind: 'declined', family: 'unreachable' }
  const finished = isLeaving
    ? await leaveFormOrder(needs, view, sealed)
    : await finishFormOrder(needs, view, { sealed, also: wish.extras?.also ?? [] })
  if (finished.kind === 'left') return { kind: 'declined', family: 'interrupted' }
  const { answer, resultCode } = await outcomeOfOrder(needs, wish, finished)
  if (answer.kind === 'declined') await tellDecline(needs, view.form, resultCode)
  return ended(needs, view, answer)
}

async function ended(needs: PayNeeds, { form }: FormView, answer: PayAnswer): Promise<PayAnswer> {
  if (answer.kind === 'declined' && needs.hasFormLimits) {
    await delay(randomInt(jitterMs.least, jitterMs.most))
  }
  if (answer.kind === 'paid') await postForms(needs, form.formId)
  return answer
}

function isByCard({ means }: Submission): boolean {
  return means.kind !== 'bank'
}

// The tick carries the total that its words name, which is the one that is charged.
function isSeen({ form }: FormView, sent: SentFields, { total }: FormPrice): boolean {
  const names = formOptions(form).asksToAgree ? ['total', 'agree'] : ['total']
  return names.every((name) => sent.get(name) === String(total.minor))
}

// Nobody agrees to other words than those on the page.
function isAgreed(view: FormView, { sent, tongue }: PayWish, submission: Submission): boolean {
  const { asksToAgree } = formOptions(view.form)
  if (!submission.savesCard && submission.means.kind !== 'bank' && !asksToAgree) return true
  return sent.get('words') === nameOfWords(wordsOn(view, tongue))
}

function priceFor(
  { acquirer }: Pick<PayNeeds, 'acquirer'>,
  view: FormView,
  { means, amount, onFile }: Submission & { readonly onFile: CardOnFile | null },
): FormPrice | null {
  if (!amount) return null
  const { today } = factsOf(view)
  const card =
    means.kind === 'card'
      ? { brand: means.card.number.brand, kind: acquirer.describeCard(means.card.number) }
      : means.kind === 'on_file'
        ? onFile
        : null
  return priceOf(amount, { merchant: view.merchant, today, card, asked: view.form.fee })
}

function digitsOf({ means }: Submission, onFile: CardOnFile | null): string {
  if (means.kind === 'on_file') return `on file ${onFile?.key}`
  return means.kind === 'card' ? means.card.number.reveal() : means.account.number.reveal()
}

type Charging = {
  readonly view: FormView
  readonly submission: Submission
  readonly price: FormPrice | null
}

type Charged = {
  readonly answer: PayAnswer
  readonly resultCode: string
  // Nobody was asked about the card.
  readonly isAsked?: false
}

async function charge(
  needs: PayNeeds,
  wish: PayWish,
  { view, submission, price }: Charging,
): Promise<Charged> {
  const { browser, address, tongue } = wish
  const { form, merchant } = view
  const { means } = submission
  const said = saidBy(view, wish, submission)
  const detail = { tries: form.tries, isCounted: false, browser: browserDigest(needs, browser), said }
  const also = wish.extras?.also ?? []
  if (means.kind === 'bank') {
    const { account } = means
    return chargedBy(await chargeFormAccount(needs, { form, account, submission, detail, also }))
  }
  if (means.kind === 'on_file') {
    const { securityCode } = means
    assert(price && wish.extras?.onFile, 'a card on file pays an amount')
    return chargedBy(await wish.extras.onFile.charge({ form, merchant, price, securityCode, detail }))
  }
  const { card } = means
  if (!merchant.isInternational) {
    const given = { form, merchant, card, submission, price, address, tongue, detail, also }
    return chargedBy(await chargeFormCard(needs, given))
  }
  const { onOrder } = wish.extras ?? {}
  const ordered = {
    view,
    card,
    submission,
    said,
    browser,
    address,
    tongue,
    also,
    ...(onOrder ? { onOrder } : {}),
  }
  return outcomeOfOrder(needs, wish, await startFormOrder(needs, ordered))
}

// What is kept of the payer's words. The receipt is mailed to whoever ticked so; where there is nothing to
// tick, to whoever gave an address for it.
function saidBy(view: FormView, { address, tongue }: PayWish, submission: Submission): PayerSaid {
  const { email } = submission.payer
  const isBank = submission.means.kind === 'bank'
  return {
    email,
    receiptEmail: submission.wantsReceipt ? email : '',
    language: tongue.locale,
    bankAgreement: isBank ? bankWords(wordsOn(view, tongue)) : '',
    agreedFrom: isBank ? address : '',
  }
}

const notBegun: Charged = {
  answer: { kind: 'declined', family: 'unreachable' },
  resultCode: '',
  isAsked: false,
}

function chargedBy(paid: Paid): Charged {
  if (paid.kind === 'refused') return { answer: refusedBy(paid.refusal), resultCode: '' }
  if (paid.kind === 'duplicate') return { answer: { kind: 'stale' }, resultCode: '' }
  if (paid.kind === 'not_begun') return notBegun
  const { attempt } = paid
  const { resultCode } = attempt
  if (attempt.state === 'approved') return { answer: { kind: 'paid' }, resultCode }
  const family = declineFamilyOf(attempt)
  return { answer: family ? { kind: 'declined', family } : { kind: 'pending' }, resultCode }
}

const fasterPages: ReadonlySet<string> = new Set(['form_not_open', 'link_not_open'])

// A page that is shown anew helps only where another one was faster.
function refusedBy(refusal: Refusal<string>): PayAnswer {
  if (fasterPages.has(refusal.kind)) return { kind: 'stale' }
  return { kind: 'declined', family: isConsentRefusal(refusal) ? 'declined' : 'unreachable' }
}

// What came of an order is told by the form's own row, which its charge has changed.
async function outcomeOfOrder(needs: PayNeeds, wish: PayWish, ordered: OrderAnswer): Promise<Charged> {
  if (ordered.kind === 'challenge') return { answer: ordered, resultCode: '' }
  if (ordered.kind === 'stale') return { answer: { kind: 'stale' }, resultCode: '' }
  const view = await showForm(needs, wish)
  const resultCode = view?.attempt?.resultCode ?? ''
  if (!view) return { answer: { kind: 'no_form' }, resultCode }
  if (view.standing === 'paid') return { answer: { kind: 'paid' }, resultCode }
  if (view.standing === 'paying') return { answer: { kind: 'pending' }, resultCode }
  const { decline: family } = view
  return { answer: family ? { kind: 'declined', family } : { kind: 'stale' }, resultCode }
}
