import { randomUUID } from 'node:crypto'
import { orderFollower } from '#engine/orders/order.follower.ts'
import type { NewOrder, OrderId } from '#engine/orders/order.ts'
import { newOrderId, openOrder, recordAuthentication } from '#engine/orders/wait-for-payer.operation.ts'
import type { Following, NewAttempt } from '#engine/payments/attempt.ts'
import { following } from '#engine/payments/follower.ts'
import { type AccountId, merchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'
import type { Database } from '#platform/postgres/database.ts'

type Bought = { readonly account: AccountId; readonly amount: Money; readonly at: Temporal.Instant }

// A charge that is an order as well.
export async function madeWithOrder(db: Database, bought: Bought): Promise<Following> {
  const order = newOrder(await newOrderId({ db }), bought)
  return following(orderFollower, order.orderId, { kind: 'new', order })
}

export async function withOrder(db: Database, attempt: NewAttempt): Promise<NewAttempt> {
  const { accountId: account, amounts, createdAt: at } = attempt
  const made = await madeWithOrder(db, { account, amount: amounts.total, at })
  return { ...attempt, following: [...attempt.following, made] }
}

// An order whose payer has confirmed it, and which waits for its charge.
export async function openWaitingOrder(db: Database, bought: Bought): Promise<Following> {
  const answerUntil = bought.at.add({ hours: 24 * 365 })
  const order = { ...newOrder(await newOrderId({ db }), bought), answerUntil }
  await openOrder({ db }, order)
  await recordAuthentication({ db }, order, { challengeId: randomUUID(), at: bought.at })
  return following(orderFollower, order.orderId, { kind: 'waiting', proof: { eci: '05' } })
}

function newOrder(orderId: OrderId, { account, amount, at }: Bought): NewOrder {
  const nobody = { firstName: '', lastName: '', customerFirstName: '', customerLastName: '' }
  const nowhere = { email: '', phone: '', street: '', city: '', state: '', zip: '', country: '' }
  return {
    orderId,
    accountId: account,
    merchantNumber: merchantNumber(1),
    transactionId: randomUUID(),
    action: 'SALE',
    amount,
    card: { lastFour: '1111', brand: 'VI', expiry: '12/40', token: '0'.repeat(64) },
    consentId: null,
    consentToken: '',
    instalmentId: null,
    descriptor: 'CORNER BOOKS',
    service: '',
    clientRef: '',
    guid: '',
    origin: 'WID',
    payer: { ...nobody, ...nowhere },
    saving: null,
    answerUntil: null,
    createdAt: at,
  }
}
