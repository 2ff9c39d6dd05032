import { keepReceipt } from '#capabilities/receipts/generate-receipt.operation.ts'
import { orderReceiptType, receiptOfOrder } from '#capabilities/receipts/order-receipt.ts'
import type { ReceiptCopy } from '#capabilities/receipts/receipt.ts'
import { receiptPage } from '#capabilities/receipts/receipt.page.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { internationalRecordsOf } from '#engine/merchants/international-records.operation.ts'
import { merchantNumbered } from '#engine/merchants/merchant.ts'
import { findOrder } from '#engine/orders/find-order.operation.ts'
import type { OrderState } from '#engine/orders/order.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

export type OrderReceiptWish = {
  readonly transactionId: string
  readonly copies: readonly ReceiptCopy[]
}

type Needs = Pick<EngineContext, 'db' | 'accountClock' | 'merchantReads' | 'keyRing'>
type ReceiptRefusal = 'no_international_record' | 'transaction_not_found' | 'outcome_unknown'

const unfinished: ReadonlySet<OrderState> = new Set<OrderState>(['opened', 'challenged', 'charging'])

// The receipt of an international order as it was when it was first asked for.
export async function generateOrderReceipt(
  needs: Needs,
  caller: Caller,
  { transactionId, copies }: OrderReceiptWish,
): Promise<Result<string, ReceiptRefusal>> {
  const records = await internationalRecordsOf(needs, caller)
  if (!records.ok) return records
  const account = caller.accountId
  const order = await findOrder(needs, { account, transactionId })
  const merchant = order && merchantNumbered(records.value.international, order.merchantNumber)
  if (!order || !merchant) return refuse('transaction_not_found', { transaction: transactionId })
  if (unfinished.has(order.state)) return refuse('outcome_unknown')
  const key = { account, type: orderReceiptType, subject: order.orderId }
  const isSandbox = needs.keyRing.mode === 'sandbox'
  const receipt = await keepReceipt(needs, key, async () => receiptOfOrder(order, { merchant, isSandbox }))
  return ok(receiptPage(receipt, copies))
}
