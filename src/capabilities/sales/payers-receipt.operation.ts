import { findReceiptAddress } from '#capabilities/sales/receipt-address.store.ts'
import type { EngineContext } from '#engine/context.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { merchantNumbered } from '#engine/merchants/merchant.ts'
import type { Attempt, NewAttempt } from '#engine/payments/attempt.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { withReceipt } from '#engine/receipt-requests/request-receipt.operation.ts'

export type UndoingNeeds = PaymentNeeds & Pick<EngineContext, 'merchantReads'>

// What undoes a sale is mailed to its payer like the sale. The address is looked for only where the merchant
// record mails receipts; the records themselves are remembered.
export async function withPayersReceipt(
  needs: UndoingNeeds,
  undoing: NewAttempt,
  sale: Attempt,
): Promise<NewAttempt> {
  const merchant = merchantNumbered(await listMerchants(needs, sale.accountId), sale.merchantNumber)
  if (!merchant?.mailsReceipts) return undoing
  return withReceipt(undoing, merchant, await findReceiptAddress(needs.db, sale))
}
