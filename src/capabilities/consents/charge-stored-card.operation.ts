import { askWithStoredCard } from '#capabilities/consents/ask-with-stored-card.operation.ts'
import { boughtWith, type ConsentId, type ConsentToCharge } from '#capabilities/consents/consent.ts'
import { consentFollower } from '#capabilities/consents/consent.follower.ts'
import { type ConsentRefusal, isConsentRefusal, obstacleTo } from '#capabilities/consents/consent-limits.ts'
import {
  collectorOf,
  type ConsentNeeds,
  findConsentOf,
  findConsents,
} from '#capabilities/consents/find-consent.operation.ts'
import { openOrReadAgain } from '#capabilities/consents/open-or-read-again.operation.ts'
import { storedCardDetails } from '#capabilities/consents/stored-card-details.ts'
import { newReference } from '#engine/payments/new-reference.operation.ts'
import { type AskedAmounts, askedPrice } from '#engine/fees/asked-money.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { clampFees } from '#engine/fees/clamp-fees.ts'
import { feeCaseOf } from '#engine/fees/fee-case.ts'
import { feeNote } from '#engine/fees/fee-decision.ts'
import { type FeeCase, type FeeQuote, quoteFees } from '#engine/fees/quote-fees.ts'
import { asLookAlike, tellEarlier } from '#engine/look-alikes/follow-look-alikes.operation.ts'
import { isLookAlike } from '#engine/look-alikes/look-alike.ts'
import { withReceipt } from '#engine/receipt-requests/request-receipt.operation.ts'
import type { CardTry } from '#engine/card-tries/card-tries.ts'
import type { CardAtRest } from '#engine/vault/vault.ts'
import { guardCard } from '#engine/card-tries/guard-card.operation.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { mostAtOnce, tooMuchAtOnce } from '#engine/merchants/most-at-once.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { asOrder } from '#engine/orders/follow-order.operation.ts'
import { type Attempt, lostAnswerPolicyOf, type NewAttempt } from '#engine/payments/attempt.ts'
import { following } from '#engine/payments/follower.ts'
import { outcomeOf, type OutcomeRefusal, paidOutcome } from '#engine/payments/outcome.ts'
import { pay } from '#engine/payments/pay.operation.ts'
import { isExpiredOn, printExpiry } from '#kernel/card-expiry.ts'
import type { Currency } from '#kernel/currency.ts'
import type { MerchantNumber } from '#kernel/ids.ts'
import { refuse, type Refused, type Result } from '#kernel/result.ts'

type Needs = EngineContext & ConsentNeeds

export type StoredCardCharge = {
  readonly consentId: ConsentId
  // null: the merchant record of the consent.
  readonly alternate: MerchantNumber | null
  readonly amounts: AskedAmounts
  // Empty texts mean what is stored with the consent.
  readonly service: string
  readonly clientRef: string
  readonly guid: string
  readonly user: string
  readonly askedBy?: 'token'
}

type FeeRefusal = 'fees_not_configured' | 'total_mismatch' | 'value_out_of_range'
type ChargeRefusal =
  | OutcomeRefusal
  | ConsentRefusal
  | FeeRefusal
  | 'merchant_not_found'
  | 'alternate_not_allowed'
  | 'currency_differs'
  | 'card_expired'
  | 'look_alike'
  | 'card_testing'

// Charges the card stored with an annual consent.
// Spec "Charge a stored card": empty details mean the stored ones (rule 1); fees are clamped (rule 3).
export async function chargeStoredCard(
  needs: Needs,
  caller: Caller,
  charge: StoredCardCharge,
): Promise<Result<Attempt, ChargeRefusal, Attempt>> {
  const found = await findConsentOf(needs, caller, charge.consentId)
  if (!found.ok) return found
  const { consent, sealedCard, home } = found.value
  const merchant = collectorOf(caller, found.value, charge.alternate)
  if (!merchant.ok) return merchant

  const now = needs.accountClock.now(caller.accountId)
  const on = dateIn(home.timeZone, now)
  const { card, currency } = consent
  if (consent.state === 'active' && isExpiredOn(card.expiry, on))
    return refuse('card_expired', { expiry: printExpiry(card.expiry) })

  const feesOn = merchant.value === home ? on : dateIn(merchant.value.timeZone, now)
  const feeCase = feeCaseOf(merchant.value, card, feesOn)
  const quote = priceOf(charge.amounts, feeCase, currency)
  if (!quote.ok) return quote

  const under = { caller, charge, consent, merchant: merchant.value, quote: quote.value, on, now }
  const excess = await overRecordsLimit(needs, under)
  if (excess) return excess
  const tried = triedConsent(caller, merchant.value, consent)
  return guardCard(
    needs,
    tried,
    () => sellUnder(needs, under, sealedCard),
    (attempt) => attempt,
  )
}

// A consent may allow more than the merchant record. What the consent itself refuses is recorded with it.
async function overRecordsLimit(
  needs: Needs,
  { caller, charge, consent, merchant, quote, on }: Sale,
): Promise<Refused<'value_out_of_range'> | null> {
  const { member } = charge.amounts.base
  const excess = tooMuchAtOnce(quote.base, { most: mostAtOnce(merchant), member })
  if (!excess) return null
  const { consentId } = consent
  const limits = (await findConsents(needs, caller.accountId, [consentId])).get(consentId)
  const use = { consent: consentId, minor: quote.total.minor, on }
  return limits && obstacleTo(use, limits) ? null : excess
}

// The number itself is not known before it is unsealed, which is done once the charge is recorded.
function triedConsent(
  { accountId: account }: Caller,
  { merchantNumber: merchant }: Merchant,
  { consentId }: ConsentToCharge,
): CardTry {
  return { account, merchant, digits: `on file consent ${consentId}`, isCard: false, isZero: false }
}

async function sellUnder(
  needs: Needs,
  under: Sale,
  sealedCard: CardAtRest | null,
): Promise<Result<Attempt, OutcomeRefusal | ConsentRefusal | 'look_alike', Attempt>> {
  const { charge, consent, merchant } = under
  const sale = withReceipt(saleUnder(under), merchant, consent.details.email)
  const open = () => (sealedCard ? openOrReadAgain(needs, sealedCard) : Promise.resolve(null))
  const ask = askWithStoredCard(needs, { consent, merchant, isRecurring: false, open })
  // What is charged by a token has references of its order, which the request does not carry.
  const named = charge.askedBy ? sale : asLookAlike(sale, merchant, charge)
  const order = await asOrder(needs, named, boughtWith(consent, merchant))
  const paid = await pay(needs, order, ask)
  return isLookAlike(paid) ? tellEarlier(needs, paid) : paidOutcome(paid, isConsentRefusal)
}

// The same answer once more, from what is stored.
export async function repeatStoredCharge(_needs: unknown, attempt: Attempt) {
  return outcomeOf(attempt)
}

function priceOf(asked: AskedAmounts, feeCase: FeeCase, currency: Currency): Result<FeeQuote, FeeRefusal> {
  const price = askedPrice(asked, currency)
  return price.ok ? clampFees(price.value, quoteFees(feeCase, price.value.base)) : price
}

type Sale = {
  readonly caller: Caller
  readonly charge: StoredCardCharge
  readonly consent: ConsentToCharge
  readonly merchant: Merchant
  readonly quote: FeeQuote
  readonly on: Temporal.PlainDate
  readonly now: Temporal.Instant
}

function saleUnder({ caller, charge, consent, merchant, quote, on, now }: Sale): NewAttempt {
  const ref = newReference()
  return {
    accountId: caller.accountId,
    merchantNumber: merchant.merchantNumber,
    kind: 'sale',
    parentId: null,
    amounts: quote,
    ref,
    subjectRef: ref,
    ...lostAnswerPolicyOf(caller),
    conditions: { acceptsPartial: caller.allowsPartialApprovals, avsNeeded: 'none', cvvNeeded: false },
    following: [following(consentFollower, consent.consentId, { on })],
    details: storedCardDetails(consent, {
      ...charge,
      origin: 'API',
      userId: String(caller.userId),
      feeDecision: feeNote(quote.decision),
    }),
    createdAt: now,
  }
}
