import {
  authenticateOrder,
  declineWaitingOrder,
  findNextUnanswered,
  listAccountsWithUnanswered,
} from '#engine/orders/order-move.store.ts'
import { insertOrderRecords } from '#engine/orders/order-record.store.ts'
import { drawOrderId, insertOrders, listUnanswered, type Unanswered } from '#engine/orders/order.store.ts'
import {
  type DeclineCause,
  type NewOrder,
  type Order,
  type OrderId,
  orderStep,
  type OrderStep,
  type RecordResult,
} from '#engine/orders/order.ts'
import { accountId, type AccountId } from '#kernel/ids.ts'
import type { Database } from '#platform/postgres/database.ts'

type Needs = { readonly db: Database }

export function newOrderId({ db }: Needs): Promise<OrderId> {
  return drawOrderId(db)
}

// The first step of an order that a payer begins: nothing is charged before the payer's bank was asked.
export async function openOrder({ db }: Needs, order: NewOrder): Promise<void> {
  await db.inTransaction(async (tx) => {
    await insertOrders(tx, [{ order, state: 'opened', saleRef: null }])
    const step = stepOf(order, { result: 'REDIRECT', status: 'REDIRECT' })
    await insertOrderRecords(tx, [step], order.createdAt)
  })
}

// The second step: the payer's bank was asked. With a challenge, it wants to see the payer. false: the order
// was given up meanwhile.
export async function recordAuthentication(
  { db }: Needs,
  order: NewOrder,
  { challengeId, at }: { readonly challengeId: string | null; readonly at: Temporal.Instant },
): Promise<boolean> {
  return db.inTransaction(async (tx) => {
    if (!(await authenticateOrder(tx, { ...keyOf(order), challengeId, at }))) return false
    await insertOrderRecords(tx, [stepOf(order, { result: 'REDIRECT', status: '3DS' })], at)
    return true
  })
}

type Refusal = {
  readonly because: DeclineCause
  readonly result: Extract<RecordResult, 'DECLINED' | 'ERROR'>
  // For people.
  readonly reason: string
  readonly at: Temporal.Instant
}

// The last step of an order that was never charged. false: it was charged or given up meanwhile.
export async function declineOrder(
  { db }: Needs,
  order: NewOrder,
  { because, result, reason, at }: Refusal,
): Promise<boolean> {
  return db.inTransaction(async (tx) => {
    if (!(await declineWaitingOrder(tx, { ...keyOf(order), because, at }))) return false
    const step = stepOf(order, { result, status: 'DECLINED', declineReason: reason })
    await insertOrderRecords(tx, [step], at)
    return true
  })
}

// Orders of an account whose payer has not come back in time, by age and up to so many.
export function listUnansweredOrders({ db }: Needs, asked: Unanswered): Promise<readonly Order[]> {
  return listUnanswered(db, asked)
}

export async function accountsWithUnansweredOrders(
  { db }: Needs,
  at: Temporal.Instant,
): Promise<readonly AccountId[]> {
  return (await listAccountsWithUnanswered(db, at)).map(accountId)
}

export function nextUnansweredOrder(
  { db }: Needs,
  span: { account: AccountId; after: Temporal.Instant; until: Temporal.Instant },
): Promise<Temporal.Instant | null> {
  return findNextUnanswered(db, span)
}

function keyOf({ accountId: account, orderId: order }: NewOrder) {
  return { account, order }
}

function stepOf(
  { orderId, amount }: NewOrder,
  step: Pick<OrderStep, 'result' | 'status'> & Partial<OrderStep>,
): OrderStep {
  return orderStep({ orderId, amount, ...step })
}
