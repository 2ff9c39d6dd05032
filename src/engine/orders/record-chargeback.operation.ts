import { disputeOrder } from '#engine/orders/order-move.store.ts'
import { insertOrderRecords } from '#engine/orders/order-record.store.ts'
import { orderStep } from '#engine/orders/order.ts'
import type { AccountId } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'
import type { Tx } from '#platform/postgres/database.ts'

type Chargeback = {
  readonly account: AccountId
  readonly sale: bigint
  readonly amount: Money
  readonly reasonCode: string
  readonly openedAt: Temporal.Instant
  readonly at: Temporal.Instant
}

// A payer's bank has taken the sale of an order back, or has given it back because the merchant was right.
// Nothing happens to sales that are no orders.
export async function recordChargeback(
  tx: Tx,
  { account, sale, amount, reasonCode, openedAt, at }: Chargeback,
  outcome: 'open' | 'won' | 'lost',
): Promise<void> {
  if (outcome === 'lost') return
  const moves = { open: ['settled', 'charged_back'], won: ['charged_back', 'settled'] } as const
  const [from, to] = moves[outcome]
  const order = await disputeOrder(tx, { account, sale, from, to, at })
  if (order === null) return
  const step = orderStep({
    orderId: order,
    result: outcome === 'open' ? 'SUCCESS' : 'DECLINED',
    status: 'CHARGEBACK',
    amount,
    declineReason: outcome === 'open' ? '' : 'The chargeback was decided for the merchant',
    dispute: { openedAt, reasonCode },
  })
  await insertOrderRecords(tx, [step], at)
}
