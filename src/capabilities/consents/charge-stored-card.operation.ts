import { askedMoney, askedMoneyOrNull } from '#capabilities/consents/asked-money.ts'
import type { Consent, ConsentId } from '#capabilities/consents/consent.ts'
import { consentFollower } from '#capabilities/consents/consent.follower.ts'
import { type ConsentRefusal, isConsentRefusal } from '#capabilities/consents/consent-limits.ts'
import { dateIn } from '#capabilities/consents/consent-terms.ts'
import { feeCaseOf } from '#capabilities/consents/fee-case.ts'
import { collectorOf, findConsentOf } from '#capabilities/consents/find-consent.operation.ts'
import { newReference } from '#engine/payments/new-reference.operation.ts'
import type { AskedAmounts } from '#capabilities/wire/amounts.wire.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { clampFees } from '#engine/fees/clamp-fees.ts'
import { explain } from '#engine/fees/fee-decision.ts'
import { type FeeCase, type FeeQuote, quoteFees } from '#engine/fees/quote-fees.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { Attempt, NewAttempt, PaymentDetails } from '#engine/payments/attempt.ts'
import { following } from '#engine/payments/follower.ts'
import { outcomeOf, type OutcomeRefusal, paidOutcome } from '#engine/payments/outcome.ts'
import { type Ask, pay } from '#engine/payments/pay.operation.ts'
import { isExpiredOn, printExpiry } from '#kernel/card-expiry.ts'
import type { Currency } from '#kernel/currency.ts'
import type { MerchantNumber } from '#kernel/ids.ts'
import { refuse, type Result } from '#kernel/result.ts'

type Needs = Omit<EngineContext, 'keyRing'>

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

// Charges the card stored with an annual consent.
// Spec "Charge a stored card": empty details mean the stored ones (rule 1); fees are clamped (rule 3).
export async function chargeStoredCard(
  needs: Needs,
  caller: Caller,
  charge: StoredCardCharge,
): Promise<Result<Attempt, ChargeRefusal, Attempt>> {
  const found = await findConsentOf(needs, caller, charge.consentId)
  if (!found.ok) return found
  const { consent, home } = found.value
  const merchant = collectorOf(caller, found.value, charge.alternate)
  if (!merchant.ok) return merchant

  const now = needs.accountClock.now(caller.accountId)
  const on = dateIn(home.timeZone, now)
  const { card, currency } = consent
  if (consent.state === 'active' && isExpiredOn(card.expiry, on))
    return refuse('card_expired', { expiry: printExpiry(card.expiry) })

  const feeCase = feeCaseOf(merchant.value, card, dateIn(merchant.value.timeZone, now))
  const quote = priceOf(charge.amounts, feeCase, currency)
  if (!quote.ok) return quote

  const sale = saleUnder({ caller, charge, consent, merchant: merchant.value, quote: quote.value, on, now })
  return paidOutcome(await pay(needs, sale, askWith(needs, consent, merchant.value)), isConsentRefusal)
}

// The same answer once more, from what is stored.
export async function repeatStoredCharge(_needs: unknown, attempt: Attempt) {
  return outcomeOf(attempt)
}

function priceOf(asked: AskedAmounts, feeCase: FeeCase, currency: Currency): Result<FeeQuote, FeeRefusal> {
  const base = askedMoney(asked.base, currency)
  if (!base.ok) return base
  const fee = askedMoneyOrNull(asked.fee, currency)
  if (!fee.ok) return fee
  const total = askedMoneyOrNull(asked.total, currency)
  if (!total.ok) return total
  return clampFees({ fee: fee.value, total: total.value }, quoteFees(feeCase, base.value))
}

type Sale = {
  readonly caller: Caller
  readonly charge: StoredCardCharge
  readonly consent: Consent
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
    // A caller without a key cannot find the charge again and will make another one.
    policy: caller.callerKey ? 'resolve' : 'reverse',
    conditions: { acceptsPartial: consent.allowsPartialApprovals, avsNeeded: 'none', cvvNeeded: false },
    following: [following(consentFollower, consent.consentId, { on })],
    details: detailsOf(caller, charge, { consent, quote }),
    callerKey: caller.callerKey,
    createdAt: now,
  }
}

function detailsOf(
  caller: Caller,
  charge: StoredCardCharge,
  { consent, quote }: Pick<Sale, 'consent' | 'quote'>,
): PaymentDetails {
  const { card, details: stored } = consent
  return {
    consentId: String(consent.consentId),
    lastFour: card.lastFour,
    brand: card.brand,
    expiry: printExpiry(card.expiry),
    holderFirstName: stored.holderFirstName,
    holderLastName: stored.holderLastName,
    customerFirstName: stored.customerFirstName,
    customerLastName: stored.customerLastName,
    service: charge.service || stored.service,
    clientRef: charge.clientRef || stored.customerRef,
    guid: charge.guid || stored.guid,
    user: charge.user,
    userId: String(caller.userId),
    origin: 'API',
    feeDecision: quote.decision.kind === 'none' ? '' : explain(quote.decision),
  }
}

// The card is opened only now, and lives no longer than the question.
function askWith(needs: Needs, { accountId, card, details, networkId }: Consent, merchant: Merchant): Ask {
  return async (attempt, signal) => {
    const [opening] = await needs.vault.openCards(needs.db, [{ account: accountId, cardId: card.cardId }])
    // Cancelled and erased in the very moment after this charge was recorded: no byte leaves.
    if (!opening) return { kind: 'not_sent' }
    if (opening.kind === 'unreadable') {
      needs.log.error(
        { err: opening.fault, attemptId: String(attempt.attemptId) },
        'A stored card is unreadable',
      )
      return { kind: 'not_sent' }
    }
    const { number, expiry } = opening
    return needs.acquirer.authorize(
      {
        ref: attempt.ref,
        card: { number, expiry, securityCode: null, street: details.street, zip: details.zip },
        amount: attempt.amounts.total,
        fee: attempt.amounts.fee,
        terminal: { terminalId: merchant.terminalId, merchantName: merchant.name },
        storedCard: { networkId },
        isRecurring: false,
      },
      signal,
    )
  }
}
