import { askWithStoredCard } from '#capabilities/consents/ask-with-stored-card.operation.ts'
import { boughtWith, type ConsentId, isRecurring } from '#capabilities/consents/consent.ts'
import { consentFollower } from '#capabilities/consents/consent.follower.ts'
import { type ConsentUse, obstacleTo } from '#capabilities/consents/consent-limits.ts'
import { type ConsentReads, findConsents } from '#capabilities/consents/find-consent.operation.ts'
import { openOrReadAgain } from '#capabilities/consents/open-or-read-again.operation.ts'
import { storedCardDetails } from '#capabilities/consents/stored-card-details.ts'
import { formFollower } from '#capabilities/forms/form.follower.ts'
import { formOptions } from '#capabilities/forms/form.ts'
import { priceOf } from '#capabilities/form-payments/form-price.ts'
import type { CardOnFile, OnFileCharge } from '#capabilities/form-payments/form-extras.ts'
import type { LinkNeeds, LinkView } from '#capabilities/links/show-link.operation.ts'
import { feeNote } from '#engine/fees/fee-decision.ts'
import { asOrder } from '#engine/orders/follow-order.operation.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { merchantNumbered } from '#engine/merchants/merchant.ts'
import type { Following, NewAttempt } from '#engine/payments/attempt.ts'
import { following } from '#engine/payments/follower.ts'
import { newReference } from '#engine/payments/new-reference.operation.ts'
import { type Paid, pay } from '#engine/payments/pay.operation.ts'
import { assert } from '#kernel/assert.ts'
import { isExpiredOn } from '#kernel/card-expiry.ts'
import type { AccountId } from '#kernel/ids.ts'

type LinkUse = ConsentUse & { readonly consent: ConsentId }
type ChargeableConsent = NonNullable<Awaited<ReturnType<ConsentReads['add']>>>

// The card that a link offers, where it names a consent and can be paid once; null where that card cannot be
// used any more, or its consent has no room for the amount. It is charged under the consent's own limits.
export async function cardOnFileOf(
  needs: LinkNeeds,
  { link, now, merchant }: LinkView,
  also: readonly Following[],
): Promise<CardOnFile | null> {
  const { accountId, consentId, isSingleUse, amount } = link
  // In an international record the payer's bank is asked, which needs the card itself.
  if (consentId === null || !isSingleUse || !amount || merchant.isInternational) return null
  const found = await needs.consentReads.add({ accountId, consentId })
  if (!found || isRecurring(found.consent)) return null
  const { card, merchantNumber } = found.consent
  const merchants = await listMerchants(needs, accountId)
  const home = merchantNumbered(merchants, merchantNumber)
  assert(home, 'a consent belongs to a merchant record of its account')
  const today = dateIn(home.timeZone, now)
  if (isExpiredOn(card.expiry, today)) return null
  const { brand, kind, lastFour, expiry } = card
  if (link.brands.length > 0 && !link.brands.includes(brand)) return null
  const { total } = priceOf(amount, { merchant, today, card, asked: null })
  if (!(await isLetThrough(needs, accountId, { consent: consentId, minor: total.minor, on: today })))
    return null
  return {
    brand,
    kind,
    lastFour,
    expiry,
    key: `consent ${consentId}`,
    charge: (order) => charge(needs, found, { order, also, on: today }),
  }
}

// A payer who presses the button and hears of a decline would blame the bank, which was never asked.
async function isLetThrough(needs: LinkNeeds, account: AccountId, use: LinkUse): Promise<boolean> {
  const consent = (await findConsents(needs, account, [use.consent])).get(use.consent)
  return consent !== undefined && obstacleTo(use, consent) === null
}

type Charge = {
  readonly order: OnFileCharge
  readonly also: readonly Following[]
  readonly on: Temporal.PlainDate
}

async function charge(
  needs: LinkNeeds,
  found: ChargeableConsent,
  { order, also, on }: Charge,
): Promise<Paid> {
  const { consent, sealedCard } = found
  const { merchant, securityCode } = order
  const open = async () => sealedCard && openOrReadAgain(needs, sealedCard)
  const ask = askWithStoredCard(needs, { consent, merchant, isRecurring: false, open, securityCode })
  const sale = await asOrder(needs, saleOf(needs, found, { order, also, on }), boughtWith(consent, merchant))
  return pay(needs, sale, ask)
}

function saleOf(needs: LinkNeeds, { consent }: ChargeableConsent, { order, also, on }: Charge): NewAttempt {
  const { form, merchant, price, detail } = order
  const ref = newReference()
  const createdAt = needs.accountClock.now(form.accountId)
  return {
    accountId: form.accountId,
    merchantNumber: merchant.merchantNumber,
    kind: 'sale',
    parentId: null,
    amounts: price,
    ref,
    subjectRef: ref,
    // The payer finds the outcome again by opening the link.
    policy: 'resolve',
    conditions: { acceptsPartial: false, avsNeeded: formOptions(form).avsNeeded, cvvNeeded: true },
    following: [
      ...also,
      following(formFollower, form.formId, detail),
      following(consentFollower, consent.consentId, { on }),
    ],
    details: storedCardDetails(consent, {
      customerFirstName: form.payer.firstName,
      customerLastName: form.payer.lastName,
      clientRef: form.clientRef,
      guid: form.guid,
      user: '',
      userId: String(form.userId),
      origin: 'WID',
      feeDecision: feeNote(price.decision),
    }),
    callerKey: null,
    createdAt,
  }
}
