import { askWithGivenCard } from '#engine/payments/ask-with-given-card.operation.ts'
import { newReference } from '#engine/payments/new-reference.operation.ts'
import { type AskedAmounts, askedPrice } from '#engine/fees/asked-money.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { GivenCard } from '#capabilities/wire/card-info.wire.ts'
import type { Person } from '#capabilities/wire/person.wire.ts'
import type { EngineContext } from '#engine/context.ts'
import { clampFees } from '#engine/fees/clamp-fees.ts'
import { feeCaseOf } from '#engine/fees/fee-case.ts'
import { type FeeDecision, feeNote } from '#engine/fees/fee-decision.ts'
import { type FeeQuote, quoteFees } from '#engine/fees/quote-fees.ts'
import { asLookAlike, tellEarlier } from '#engine/look-alikes/follow-look-alikes.operation.ts'
import { isLookAlike } from '#engine/look-alikes/look-alike.ts'
import { withReceipt } from '#engine/receipt-requests/request-receipt.operation.ts'
import { guardCard, triedCard } from '#engine/card-tries/guard-card.operation.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { type Merchant, merchantFor } from '#engine/merchants/merchant.ts'
import { mostAtOnce, tooMuchAtOnce } from '#engine/merchants/most-at-once.ts'
import { asOrder } from '#engine/orders/follow-order.operation.ts'
import {
  type Attempt,
  lostAnswerPolicyOf,
  type NewAttempt,
  type PaymentDetails,
} from '#engine/payments/attempt.ts'
import { isNobodysRefusal, outcomeOf, type OutcomeRefusal, paidOutcome } from '#engine/payments/outcome.ts'
import { type Ask, pay } from '#engine/payments/pay.operation.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { isExpiredOn, printExpiry } from '#kernel/card-expiry.ts'
import type { MerchantNumber } from '#kernel/ids.ts'
import { refuse, type Result } from '#kernel/result.ts'

export type CardCharge = {
  readonly merchantNumber: MerchantNumber
  readonly card: GivenCard
  readonly holder: Person
  readonly customer: Person
  readonly amounts: AskedAmounts
  readonly service: string
  readonly clientRef: string
  readonly guid: string
  readonly user: string
}

type Needs = PaymentNeeds &
  Pick<EngineContext, 'merchantReads' | 'orderReads' | 'vault' | 'keyRing' | 'cardTries'>
type ChargeRefusal =
  | OutcomeRefusal
  | 'merchant_not_found'
  | 'card_expired'
  | 'value_out_of_range'
  | 'fees_not_configured'
  | 'total_mismatch'
  | 'look_alike'
  | 'card_testing'

// Charges a card that the payer has just given. Nothing of it is kept but brand, last four digits and expiry:
// the number and the security code live in the one question to the acquirer, which nobody repeats.
export async function chargeCard(
  needs: Needs,
  caller: Caller,
  charge: CardCharge,
): Promise<Result<Attempt, ChargeRefusal, Attempt>> {
  const merchants = await listMerchants(needs, caller.accountId)
  const merchant = merchantFor(caller, merchants, charge.merchantNumber)
  if (!merchant) return refuse('merchant_not_found', { merchant: charge.merchantNumber })

  const today = dateIn(merchant.timeZone, needs.accountClock.now(caller.accountId))
  const { expiry } = charge.card
  if (isExpiredOn(expiry, today)) return refuse('card_expired', { expiry: printExpiry(expiry) })

  const price = priceOf(needs, { charge, merchant, today })
  if (!price.ok) return price

  const tried = triedCard(caller, merchant, { number: charge.card.number, isZero: false })
  const sell = () => sellTo(needs, caller, { charge, merchant, price: price.value })
  return guardCard(needs, tried, sell, (attempt) => attempt)
}

async function sellTo(
  needs: Needs,
  caller: Caller,
  { charge, merchant, price }: Priced,
): Promise<Result<Attempt, OutcomeRefusal | 'look_alike', Attempt>> {
  const { number } = charge.card
  const bought = { merchant, number, contact: contactOf(charge.holder), instalmentId: null }
  const email = charge.holder.email || charge.customer.email
  const sale = withReceipt(saleOf(needs, caller, { charge, merchant, price }), merchant, email)
  const order = await asOrder(needs, asLookAlike(sale, merchant, charge), bought)
  const paid = await pay(needs, order, askFor(needs, charge, merchant))
  return isLookAlike(paid) ? tellEarlier(needs, paid) : paidOutcome(paid, isNobodysRefusal)
}

// The same answer once more, from what is stored.
export async function repeatCharge(
  _needs: Needs,
  attempt: Attempt,
): Promise<Result<Attempt, OutcomeRefusal, Attempt>> {
  return outcomeOf(attempt)
}

function contactOf({ email, phone, street, city, state, zip, country }: Person) {
  return { email, phone, street, city, state, zip, country }
}

type Pricing = {
  readonly charge: CardCharge
  readonly merchant: Merchant
  readonly today: Temporal.PlainDate
}

function priceOf(
  { acquirer }: Needs,
  { charge, merchant, today }: Pricing,
): Result<FeeQuote, 'value_out_of_range' | 'fees_not_configured' | 'total_mismatch'> {
  const asked = askedPrice(charge.amounts, merchant.currency)
  if (!asked.ok) return asked
  const bound = { most: mostAtOnce(merchant), member: charge.amounts.base.member }
  const excess = tooMuchAtOnce(asked.value.base, bound)
  if (excess) return excess
  const { number } = charge.card
  const card = { brand: number.brand, kind: acquirer.describeCard(number) }
  return clampFees(asked.value, quoteFees(feeCaseOf(merchant, card, today), asked.value.base))
}

type Priced = {
  readonly charge: CardCharge
  readonly merchant: Merchant
  readonly price: FeeQuote
}

function saleOf(needs: Needs, caller: Caller, { charge, merchant, price }: Priced): NewAttempt {
  const { base, fee, total, decision } = price
  const ref = newReference()
  return {
    accountId: caller.accountId,
    merchantNumber: merchant.merchantNumber,
    kind: 'sale',
    parentId: null,
    amounts: { base, fee, total },
    ref,
    subjectRef: ref,
    ...lostAnswerPolicyOf(caller),
    conditions: { acceptsPartial: caller.allowsPartialApprovals, avsNeeded: 'none', cvvNeeded: false },
    following: [],
    details: detailsOf(charge, caller, decision),
    createdAt: needs.accountClock.now(caller.accountId),
  }
}

function detailsOf(charge: CardCharge, { userId }: Caller, decision: FeeDecision): PaymentDetails {
  const { card, holder, customer, service, clientRef, guid, user } = charge
  return {
    guid,
    user,
    brand: card.number.brand,
    expiry: printExpiry(card.expiry),
    origin: 'API',
    userId: String(userId),
    service,
    lastFour: card.number.lastFour,
    clientRef,
    consentId: '',
    feeDecision: feeNote(decision),
    holderLastName: holder.lastName,
    holderFirstName: holder.firstName,
    customerLastName: customer.lastName,
    customerFirstName: customer.firstName,
  }
}

function askFor(needs: Needs, { card, holder }: CardCharge, merchant: Merchant): Ask {
  const { street, zip } = holder
  return askWithGivenCard(needs, { card: { ...card, street, zip }, merchant })
}
