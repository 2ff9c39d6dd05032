import { type KeptCard, payAndKeepCard } from '#capabilities/consents/keep-card.operation.ts'
import { savingWords, wordsOn } from '#capabilities/form-payments/agreement.ts'
import { keptForPlan } from '#capabilities/form-payments/keep-for-plan.operation.ts'
import { type FormDetail, formFollower } from '#capabilities/forms/form.follower.ts'
import { type Form, formOptions } from '#capabilities/forms/form.ts'
import type { Submission } from '#capabilities/form-payments/read-submission.ts'
import type { Tongue } from '#capabilities/payer-words/tongue.ts'
import type { GivenCard } from '#capabilities/wire/card-info.wire.ts'
import type { EngineContext } from '#engine/context.ts'
import { feeNote } from '#engine/fees/fee-decision.ts'
import type { FeeQuote } from '#engine/fees/quote-fees.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { askWithGivenCard } from '#engine/payments/ask-with-given-card.operation.ts'
import type { Following, NewAttempt } from '#engine/payments/attempt.ts'
import { following } from '#engine/payments/follower.ts'
import { newReference } from '#engine/payments/new-reference.operation.ts'
import { type Ask, type Paid, pay } from '#engine/payments/pay.operation.ts'
import { printExpiry } from '#kernel/card-expiry.ts'
import { assert } from '#kernel/assert.ts'

type Needs = EngineContext

type CardCharge = {
  readonly form: Form
  readonly merchant: Merchant
  readonly card: GivenCard
  readonly submission: Submission
  // null where nothing is paid: then the issuer is asked whether the card is good.
  readonly price: FeeQuote | null
  readonly address: string
  // In which the payer was told what saving the card means.
  readonly tongue: Tongue
  readonly detail: FormDetail
  readonly also: readonly Following[]
}

// Charges the card that a payer typed, or asks whether it is good, and stores it where the payer agreed.
export async function chargeFormCard(needs: Needs, charge: CardCharge): Promise<Paid> {
  const attempt = attemptOf(needs, charge)
  if (!charge.submission.savesCard) return pay(needs, attempt, askFor(needs, charge))
  const kept = keptCard(charge, attempt)
  const paid = await payAndKeepCard(needs, attempt, { kept, ask: askFor(needs, charge) })
  assert(paid.ok, "a card that is not expired fits the record's own terms")
  return paid.value
}

function attemptOf(
  needs: Needs,
  { form, merchant, card, submission, price, detail, also }: CardCharge,
): NewAttempt {
  const ref = newReference()
  const nothing = { minor: 0n, currency: form.currency }
  const { avsNeeded, cvvNeeded } = formOptions(form)
  const { payer, clientRef, guid } = submission
  return {
    accountId: form.accountId,
    merchantNumber: merchant.merchantNumber,
    kind: price ? 'sale' : 'verify',
    parentId: null,
    amounts: price ?? { base: nothing, fee: nothing, total: nothing },
    ref,
    subjectRef: ref,
    // The payer finds the outcome again by opening the form.
    policy: 'resolve',
    conditions: { acceptsPartial: false, avsNeeded, cvvNeeded },
    following: [...also, following(formFollower, form.formId, detail)],
    details: {
      consentId: '',
      lastFour: card.number.lastFour,
      brand: card.number.brand,
      expiry: printExpiry(card.expiry),
      holderFirstName: payer.firstName,
      holderLastName: payer.lastName,
      customerFirstName: form.payer.firstName,
      customerLastName: form.payer.lastName,
      service: form.plan?.service ?? '',
      clientRef,
      guid,
      user: '',
      userId: String(form.userId),
      origin: 'WID',
      feeDecision: price ? feeNote(price.decision) : '',
    },
    callerKey: null,
    createdAt: needs.accountClock.now(form.accountId),
  }
}

function keptCard(charge: CardCharge, { createdAt }: NewAttempt): KeptCard {
  const { form, merchant, card, submission, address, tongue } = charge
  const { payer, clientRef, guid } = submission
  const { plan } = form
  const today = dateIn(merchant.timeZone, createdAt)
  return {
    card,
    merchant,
    userId: form.userId,
    agreement: savingWords(wordsOn({ form, merchant, now: createdAt }, tongue)).full,
    agreedFrom: address,
    keptFor: keptForPlan(form, merchant, today),
    details: {
      customerRef: clientRef,
      service: plan?.service ?? '',
      guid,
      holderFirstName: payer.firstName,
      holderLastName: payer.lastName,
      customerFirstName: form.payer.firstName,
      customerLastName: form.payer.lastName,
      company: '',
      email: payer.email,
      phone: payer.phone,
      street: payer.street,
      zip: payer.zip,
    },
  }
}

function askFor(needs: Needs, { card, submission: { payer }, merchant }: CardCharge): Ask {
  const { street, zip } = payer
  return askWithGivenCard(needs, { card: { ...card, street, zip }, merchant })
}
