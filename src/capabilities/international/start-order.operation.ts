import { randomUUID } from 'node:crypto'
import {
  chargeOrder,
  type ChargeNeeds,
  type OrderKnown,
  type OrderPaid,
  paidOrder,
} from '#capabilities/international/charge-order.operation.ts'
import { giveUpOrder } from '#capabilities/international/give-up-orders.operation.ts'
import type {
  ChallengedOrder,
  OrderOwner,
  PaidOrder,
  PayerOrder,
} from '#capabilities/international/payer-order.ts'
import type { PayerAnswer } from '#engine/acquirers/payer-authentication.ts'
import { askedMoney } from '#engine/fees/asked-money.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { type Merchant, merchantNumbered } from '#engine/merchants/merchant.ts'
import { descriptorOf, type NewOrder, type Order } from '#engine/orders/order.ts'
import {
  declineOrder,
  newOrderId,
  openOrder,
  recordAuthentication,
} from '#engine/orders/wait-for-payer.operation.ts'
import { assert } from '#kernel/assert.ts'
import { isExpiredOn, printExpiry } from '#kernel/card-expiry.ts'
import type { Currency } from '#kernel/currency.ts'
import type { Money } from '#kernel/money.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

type PaidRefusal = Extract<OrderPaid, { ok: false }>['refusal']['kind']
type StartRefusal = PaidRefusal | 'merchant_not_found' | 'record_domestic' | 'card_expired'
type Started = Result<PaidOrder | ChallengedOrder, StartRefusal, OrderKnown>

// How long a payer has for the way to the bank and back, by the clock of the account.
export const answerMinutes = 10

// Takes an order from a payer: asks the payer's bank who pays, and then either charges the card, or answers
// where the bank wants to see the payer first. Each call is an order of its own.
export async function startOrder(needs: ChargeNeeds, owner: OrderOwner, asked: PayerOrder): Promise<Started> {
  const merchants = await listMerchants(needs, owner.accountId)
  const merchant = merchantNumbered(merchants, asked.merchantNumber)
  if (!merchant) return refuse('merchant_not_found', { merchant: asked.merchantNumber })
  if (!merchant.isInternational) return refuse('record_domestic', { merchant: asked.merchantNumber })
  const amount = amountOf(asked, merchant.currency)
  if (!amount.ok) return amount
  const now = needs.accountClock.now(owner.accountId)
  const { expiry } = asked.card
  if (isExpiredOn(expiry, dateIn(merchant.timeZone, now)))
    return refuse('card_expired', { expiry: printExpiry(expiry) })

  const order = await newOrder(needs, owner, { asked, merchant, amount: amount.value, now })
  await openOrder(needs, order)
  const answer = await askPayersBank(needs, { order, asked, merchant })
  const at = needs.accountClock.now(owner.accountId)
  const challengeId = answer.kind === 'challenge' ? answer.challengeId : null
  if (!(await recordAuthentication(needs, order, { challengeId, at }))) return outOfTime(needs, order, at)
  return goOn(needs, owner, { order, asked, answer, at })
}

// Of a card that is only kept, nothing: its bank is asked who it is, and then whether the card is good.
function amountOf({ amount, saving }: PayerOrder, currency: Currency): Result<Money, 'value_out_of_range'> {
  assert(amount || saving, 'an order charges a card or keeps it')
  if (!amount) return ok({ minor: 0n, currency })
  const money = askedMoney(amount, currency)
  if (!money.ok || money.value.minor > 0n) return money
  return refuse('value_out_of_range', { problem: `${amount.member} must be more than 0` })
}

type Answered = {
  readonly order: Order
  readonly asked: PayerOrder
  readonly answer: PayerAnswer
  readonly at: Temporal.Instant
}

async function goOn(
  needs: ChargeNeeds,
  owner: OrderOwner,
  { order, asked, answer, at }: Answered,
): Promise<Started> {
  const { card, checks, also = [], keptFor = null } = asked
  switch (answer.kind) {
    case 'confirmed': {
      const paid = await chargeOrder(needs, owner, {
        order,
        card,
        proof: answer.proof,
        checks,
        also,
        keptFor,
      })
      return !paid.ok && paid.refusal.kind === 'order_closed' ? outOfTime(needs, order, at) : paid
    }
    case 'challenge':
      return ok({
        kind: 'challenged',
        transactionId: order.transactionId,
        address: answer.address,
        sealedCard: needs.vault.sealInTransit(card, order.transactionId),
        answerUntil: order.answerUntil ?? at,
      })
    default:
      return ok(await declineUnconfirmed(needs, order, { answer, at }))
  }
}

// Its payer's bank took so long that the order is over. Nobody else can have charged it.
async function outOfTime(needs: ChargeNeeds, order: Order, at: Temporal.Instant): Promise<Started> {
  await giveUpOrder(needs, order, at)
  return ok(paidOrder({ ...order, because: 'timed_out' }, null))
}

type Unconfirmed = Exclude<PayerAnswer, { kind: 'confirmed' | 'challenge' }>

const declines = {
  rejected: {
    because: 'not_confirmed',
    result: 'DECLINED',
    reason: "DECLINED: the payer's bank could not confirm who pays",
  },
  unavailable: {
    because: 'unreachable',
    result: 'ERROR',
    reason: "ERROR: the payer's bank could not be asked who pays",
  },
} as const satisfies Record<Unconfirmed['kind'], object>

// Nothing is charged without the bank's word: who pays is not known then, and the merchant would bear it.
export async function declineUnconfirmed(
  needs: ChargeNeeds,
  order: Order,
  { answer, at }: { readonly answer: Unconfirmed; readonly at: Temporal.Instant },
): Promise<PaidOrder> {
  const decline = declines[answer.kind]
  await declineOrder(needs, order, { ...decline, at })
  return paidOrder({ ...order, because: decline.because }, null)
}

type Asking = { readonly order: Order; readonly asked: PayerOrder; readonly merchant: Merchant }

// Silence, and whatever a connector throws, is no word.
async function askPayersBank(
  { payerAuthentication, patience, log }: ChargeNeeds,
  { order, asked, merchant }: Asking,
): Promise<PayerAnswer> {
  const signal = AbortSignal.timeout(patience.answerMs)
  try {
    return await payerAuthentication.ask(
      {
        ref: order.transactionId,
        number: asked.card.number,
        amount: order.amount,
        merchantName: merchant.name,
        returnTo: asked.returnTo,
      },
      signal,
    )
  } catch (error) {
    log.error({ err: error, orderId: String(order.orderId) }, "The payer's bank could not be asked who pays")
    return { kind: 'unavailable' }
  }
}

type Ordering = {
  readonly asked: PayerOrder
  readonly merchant: Merchant
  readonly amount: Money
  readonly now: Temporal.Instant
}

async function newOrder(
  needs: ChargeNeeds,
  { accountId: account }: OrderOwner,
  { asked, merchant, amount, now }: Ordering,
): Promise<Order> {
  const { number, expiry } = asked.card
  const made: NewOrder = {
    orderId: await newOrderId(needs),
    accountId: account,
    merchantNumber: merchant.merchantNumber,
    transactionId: asked.transactionId ?? randomUUID(),
    action: 'SALE',
    amount,
    card: {
      lastFour: number.lastFour,
      brand: number.brand,
      expiry: printExpiry(expiry),
      token: needs.vault.cardToken({ account, number }),
    },
    consentId: null,
    // The card of a plan is charged by the plan alone.
    consentToken: asked.saving && !asked.keptFor ? randomUUID() : '',
    instalmentId: null,
    descriptor: descriptorOf(merchant),
    service: asked.service,
    clientRef: asked.clientRef,
    guid: asked.guid,
    origin: 'WID',
    payer: asked.payer,
    saving: asked.saving,
    answerUntil: now.add({ minutes: answerMinutes }),
    createdAt: now,
  }
  return { ...made, state: 'opened', saleRef: null, challengeId: null, because: '', bankAt: null }
}
