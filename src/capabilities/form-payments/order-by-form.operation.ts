import { randomUUID } from 'node:crypto'
import { savingWords, wordsOn } from '#capabilities/form-payments/agreement.ts'
import { keptForPlan } from '#capabilities/form-payments/keep-for-plan.operation.ts'
import type { FormExtras } from '#capabilities/form-payments/form-extras.ts'
import type { PayNeeds } from '#capabilities/form-payments/form-payment-needs.ts'
import { formFollower } from '#capabilities/forms/form.follower.ts'
import { type Form, formOptions, type PayerSaid } from '#capabilities/forms/form.ts'
import { rememberOrder } from '#capabilities/forms/remember-order.operation.ts'
import type { SentFields, Submission } from '#capabilities/form-payments/read-submission.ts'
import { sealFields, unsealFields } from '#capabilities/form-payments/sealed-fields.operation.ts'
import { browserDigest, type FormView } from '#capabilities/form-payments/show-form.operation.ts'
import { finishOrder } from '#capabilities/international/finish-order.operation.ts'
import { leaveOrder } from '#capabilities/international/leave-order.operation.ts'
import type { OrderOwner } from '#capabilities/international/payer-order.ts'
import { answerMinutes, startOrder } from '#capabilities/international/start-order.operation.ts'
import type { Tongue } from '#capabilities/payer-words/tongue.ts'
import type { GivenCard } from '#capabilities/wire/card-info.wire.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import type { Following } from '#engine/payments/attempt.ts'
import { following } from '#engine/payments/follower.ts'
import { exponentOf } from '#kernel/currency.ts'
import type { Secret } from '#kernel/secret.ts'
import type { Tx } from '#platform/postgres/database.ts'

// Where the payer's bank sends the payer. It holds no token: a bank need not know which form is paid.
export const backPath = '/PayForm/back'

// What the payer's bank wants to see the payer for. Sealed holds the card, readable by us alone, for this
// form, this try and ten minutes; it is stored nowhere.
export type Challenge = { readonly address: string; readonly sealed: string }

// challenge: the payer's bank wants to see the payer, or has not answered yet. done: the form tells what came
// of it. stale: another page was faster. left: the payer does not go to the bank, and nothing was charged.
export type OrderAnswer =
  | { readonly kind: 'challenge'; readonly challenge: Challenge; readonly isAgain: boolean }
  | { readonly kind: 'done' | 'stale' | 'left' }

type OrderByForm = {
  readonly view: FormView
  readonly card: GivenCard
  readonly submission: Submission
  readonly said: PayerSaid
  readonly browser: Secret
  readonly address: string
  readonly tongue: Tongue
  readonly also: readonly Following[]
  readonly onOrder?: FormExtras['onOrder']
}

// Takes the order of a payer in an international record. The form remembers it first, so that of all pages
// and tabs the newest order alone can be charged.
export async function startFormOrder(needs: PayNeeds, order: OrderByForm): Promise<OrderAnswer> {
  const { view, card, submission, said, browser, tongue, onOrder } = order
  const { form } = view
  const { accountId: account, formId, tries } = form
  const { amount } = submission
  const transactionId = randomUUID()
  const digest = browserDigest(needs, browser)
  const agreedOn = dateIn(view.merchant.timeZone, view.now).toString()
  const begun = { form: formId, account, tries, ref: transactionId, browser: digest, said, at: view.now }
  const until = view.now.add({ minutes: answerMinutes })
  const holdAlso = onOrder && ((tx: Tx) => onOrder(tx, { at: view.now, until }))
  if (!(await rememberOrder(needs, begun, holdAlso))) return { kind: 'stale' }
  const { payer, clientRef, guid } = submission
  const { firstName: customerFirstName, lastName: customerLastName } = form.payer
  const started = await startOrder(needs, ownerOf(form), {
    transactionId,
    merchantNumber: form.merchantNumber,
    amount: amount && {
      amount: { units: amount.minor, scale: exponentOf(amount.currency) },
      member: 'amount',
    },
    card,
    payer: { ...payer, customerFirstName, customerLastName },
    service: form.plan?.service ?? '',
    clientRef,
    guid,
    saving: savingOf(order),
    returnTo: `${needs.publicAddress.url}${backPath}?l=${tongue.language}`,
    checks: checksOf(form),
    also: [...order.also, followingForm({ ...form, tries: tries + 1, said }, digest)],
    keptFor: keptFor(view, agreedOn),
  })
  if (!started.ok || started.value.kind !== 'challenged') return { kind: 'done' }
  const { address, sealedCard } = started.value
  const fields = new Map(Object.entries({ transactionId, sealedCard, address, agreedOn }))
  const owner = { formId, tries: tries + 1 }
  const sealed = sealFields(needs, { owner, purpose: 'challenge' }, fields)
  return { kind: 'challenge', challenge: { address, sealed }, isAgain: false }
}

// The payer is back from the bank, or says so. The bank itself is asked.
export async function finishFormOrder(
  needs: PayNeeds,
  view: FormView,
  { sealed, also }: { readonly sealed: string; readonly also: readonly Following[] },
): Promise<OrderAnswer> {
  const { form } = view
  const fields = fieldsOfNewest(needs, form, sealed)
  if (!fields || !form.orderRef || !form.browserDigest) return { kind: 'stale' }
  const transactionId = form.orderRef
  const sealedCard = fields.get('sealedCard') ?? ''
  const address = fields.get('address') ?? ''
  const finished = await finishOrder(needs, ownerOf(form), {
    transactionId,
    sealedCard,
    checks: checksOf(form),
    also: [...also, followingForm(form, form.browserDigest)],
    keptFor: keptFor(view, fields.get('agreedOn') ?? ''),
  })
  const isOpen = finished.ok && finished.value.kind === 'open'
  return isOpen ? { kind: 'challenge', challenge: { address, sealed }, isAgain: true } : { kind: 'done' }
}

// The payer does not go to the bank. The form can be paid anew, unless the order is charged already.
export async function leaveFormOrder(
  needs: PayNeeds,
  { form }: FormView,
  sealed: string,
): Promise<OrderAnswer> {
  if (!fieldsOfNewest(needs, form, sealed) || !form.orderRef) return { kind: 'stale' }
  return { kind: (await leaveOrder(needs, ownerOf(form), form.orderRef)) ? 'left' : 'done' }
}

// null: the page is about an older order than the form's newest.
function fieldsOfNewest(needs: PayNeeds, form: Form, sealed: string): SentFields | null {
  const fields = unsealFields(needs, { owner: form, purpose: 'challenge' }, sealed)
  return fields?.get('transactionId') === form.orderRef ? fields : null
}

function ownerOf({ accountId, userId }: Form): OrderOwner {
  return { accountId, userId, callerKey: null }
}

function checksOf(form: Form) {
  const { avsNeeded, cvvNeeded } = formOptions(form)
  return { avsNeeded, cvvNeeded }
}

function followingForm({ formId, tries, said }: Form, browser: Buffer) {
  return following(formFollower, formId, { tries, isCounted: true, browser, said })
}

function savingOf({ view, submission, address, tongue }: OrderByForm) {
  if (!submission.savesCard) return null
  return { agreement: savingWords(wordsOn(view, tongue)).full, agreedFrom: address }
}

// By the day on which the payer agreed: the days of the plan are those that the agreement names, however late
// the payer comes back from the bank.
function keptFor({ form, merchant }: FormView, agreedOn: string) {
  return form.plan && keptForPlan(form, merchant, Temporal.PlainDate.from(agreedOn))
}
