import { type KeptCard, payAndKeepCard } from '#capabilities/consents/keep-card.operation.ts'
import type { OrderCharge, OrderOwner, PaidOrder } from '#capabilities/international/payer-order.ts'
import type { EngineContext } from '#engine/context.ts'
import { amountsOf } from '#engine/fees/amounts.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { type Merchant, merchantNumbered } from '#engine/merchants/merchant.ts'
import { findOrder } from '#engine/orders/find-order.operation.ts'
import { orderFollower } from '#engine/orders/order.follower.ts'
import type { Order } from '#engine/orders/order.ts'
import { declineOrder } from '#engine/orders/wait-for-payer.operation.ts'
import { askWithGivenCard } from '#engine/payments/ask-with-given-card.operation.ts'
import { type Attempt, hasApproval, type NewAttempt } from '#engine/payments/attempt.ts'
import { following } from '#engine/payments/follower.ts'
import { newReference } from '#engine/payments/new-reference.operation.ts'
import { type OutcomeRefusal, paidOutcome } from '#engine/payments/outcome.ts'
import { type Ask, type Paid, pay } from '#engine/payments/pay.operation.ts'
import { assert } from '#kernel/assert.ts'
import { ok, refuse, type Refusal, type Result } from '#kernel/result.ts'
import { unlessAway } from '#platform/postgres/failures.ts'

export type ChargeNeeds = EngineContext
export type OrderKnown = Pick<PaidOrder, 'transactionId'>
export type OrderPaid = Result<
  PaidOrder,
  OutcomeRefusal | 'order_closed' | 'value_out_of_range' | 'consent_not_found',
  OrderKnown
>

// Charges an order whose payer is confirmed: by the one way in which money moves, as its attempt's order.
// One of nothing asks the issuer whether the card is good.
// With it begins, where the payer agreed, the consent that its token stands for.
export async function chargeOrder(
  needs: ChargeNeeds,
  owner: OrderOwner,
  charge: OrderCharge,
): Promise<OrderPaid> {
  const { order } = charge
  const merchants = await listMerchants(needs, owner.accountId)
  const merchant = merchantNumbered(merchants, order.merchantNumber)
  assert(merchant, 'an order belongs to a merchant record')
  const sale = saleOf(needs, owner, charge)
  const ask = askFor(needs, charge, merchant)
  if (!order.saving) return paidBy(needs, order, await pay(needs, sale, ask))

  const kept = keptCard(owner, { ...charge, merchant, saving: order.saving })
  const paid = await payAndKeepCard(needs, sale, { kept, ask })
  return paid.ok ? paidBy(needs, order, paid.value) : paid
}

const unreachable = {
  because: 'unreachable',
  result: 'ERROR',
  reason: 'ERROR: the acquirer could not be reached',
} as const

async function paidBy(
  needs: Pick<ChargeNeeds, 'db' | 'accountClock' | 'log'>,
  taken: Order,
  paid: Paid,
): Promise<OrderPaid> {
  const { accountId: account, transactionId } = taken
  // No charge follows, and its payer is not to wait until it is given up.
  if (paid.kind === 'not_begun')
    await declineOrder(needs, taken, { ...unreachable, at: needs.accountClock.now(account) })
  const outcome = paidOutcome(heard(paid), isOrderRefusal)
  if (!outcome.ok) return refuse(outcome.refusal.kind, outcome.refusal.details, { transactionId })
  const found = await unlessAway(needs, async () => ({
    order: await findOrder(needs, { account, transactionId }),
  }))
  // Nobody may be told that nothing was done.
  if (!found) return refuse('outcome_unknown', {}, { transactionId })
  assert(found.order, 'an order that was charged is found again')
  return ok(paidOrder(found.order, outcome.value))
}

export function paidOrder(order: Order, charge: Attempt | null): PaidOrder {
  const { transactionId, because, amount } = order
  const isApproved = charge !== null && hasApproval(charge.state)
  return {
    kind: 'paid',
    transactionId,
    isApproved,
    because,
    amount,
    code: charge?.resultCode ?? '',
    consentToken: isApproved ? order.consentToken : '',
    charge,
  }
}

type Kept = OrderCharge & { readonly merchant: Merchant; readonly saving: NonNullable<Order['saving']> }

function keptCard({ userId }: OrderOwner, { order, card, merchant, saving, keptFor = null }: Kept): KeptCard {
  const { payer, service, clientRef, guid } = order
  const { number, expiry } = card
  const details = {
    customerRef: clientRef,
    service,
    guid,
    holderFirstName: payer.firstName,
    holderLastName: payer.lastName,
    customerFirstName: payer.customerFirstName,
    customerLastName: payer.customerLastName,
    company: '',
    email: payer.email,
    phone: payer.phone,
    street: payer.street,
    zip: payer.zip,
  }
  return { card: { number, expiry }, details, merchant, userId, keptFor, ...saving }
}

function saleOf(
  { accountClock }: ChargeNeeds,
  { accountId, userId, callerKey }: OrderOwner,
  { order, proof, checks, also = [] }: OrderCharge,
): NewAttempt {
  const ref = newReference()
  const { payer, card } = order
  return {
    accountId,
    merchantNumber: order.merchantNumber,
    kind: order.amount.minor === 0n ? 'verify' : 'sale',
    parentId: null,
    amounts: amountsOf(order.amount, { ...order.amount, minor: 0n }),
    ref,
    subjectRef: ref,
    // The order is there for everybody to find, so an approval that is found later stands.
    policy: 'resolve',
    conditions: { acceptsPartial: false, ...checks },
    following: [following(orderFollower, order.orderId, { kind: 'waiting', proof }), ...also],
    details: {
      consentId: '',
      lastFour: card.lastFour,
      brand: card.brand,
      expiry: card.expiry,
      holderFirstName: payer.firstName,
      holderLastName: payer.lastName,
      customerFirstName: payer.customerFirstName,
      customerLastName: payer.customerLastName,
      service: order.service,
      clientRef: order.clientRef,
      guid: order.guid,
      user: '',
      userId: String(userId),
      origin: 'WID',
      feeDecision: '',
      orderId: String(order.orderId),
    },
    callerKey,
    createdAt: accountClock.now(accountId),
  }
}

function askFor(needs: ChargeNeeds, { order, card, proof }: OrderCharge, merchant: Merchant): Ask {
  const { street, zip } = order.payer
  return askWithGivenCard(needs, { card: { ...card, street, zip }, merchant, payerProof: proof })
}

// Whatever changes together with the charge and turns it down, such as a form that is paid already, closes
// the order.
function heard(paid: Paid): Paid {
  if (paid.kind !== 'refused' || isOrderRefusal(paid.refusal)) return paid
  return { ...paid, refusal: refuse('order_closed').refusal }
}

function isOrderRefusal(refusal: Refusal<string>): refusal is Refusal<'order_closed' | 'consent_not_found'> {
  return refusal.kind === 'order_closed' || refusal.kind === 'consent_not_found'
}
