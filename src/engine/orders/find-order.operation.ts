import { findOrderById, findOrderByToken, findOrderByTransaction } from '#engine/orders/order.store.ts'
import type { Order } from '#engine/orders/order.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import type { AccountId } from '#kernel/ids.ts'
import type { Queryable } from '#platform/postgres/database.ts'

type Needs = { readonly db: Queryable }

export function findOrder(
  { db }: Needs,
  key: { readonly account: AccountId; readonly transactionId: string },
): Promise<Order | null> {
  return findOrderByTransaction(db, key)
}

// The order by which the payer agreed that the card is charged again.
export function findOrderOfToken(
  { db }: Needs,
  key: { readonly account: AccountId; readonly token: string },
): Promise<Order | null> {
  return findOrderByToken(db, key)
}

// null: a charge of a domestic record, or one that was refused before its order began.
export async function findOrderOfAttempt({ db }: Needs, attempt: Attempt): Promise<Order | null> {
  const { orderId } = attempt.details
  return orderId === undefined
    ? null
    : findOrderById(db, { account: attempt.accountId, order: BigInt(orderId) })
}
