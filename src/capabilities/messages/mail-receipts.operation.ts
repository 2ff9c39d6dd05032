import { type ReceiptWish, tryToMailReceipt } from '#capabilities/messages/queue-receipt.operation.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { EngineContext } from '#engine/context.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { merchantNumbered } from '#engine/merchants/merchant.ts'
import { findAttemptByReference } from '#engine/payments/find-attempt.operation.ts'
import { listDueReceipts, takeDueReceipt } from '#engine/receipt-requests/request-receipt.operation.ts'
import { assert } from '#kernel/assert.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { isUnreachable, mayPass } from '#platform/postgres/failures.ts'

type Needs = Pick<EngineContext, 'db' | 'keyRing' | 'log' | 'accountClock' | 'merchantReads'>

const portion = 100

// Queues the receipts of what was approved. A request became due in the commit of its outcome and is done in
// the commit that queues its e-mail, so each is queued once, whichever node dies in between.
export async function mailReceipts(needs: Needs): Promise<void> {
  let isMore = true
  while (isMore) {
    const due = await listDueReceipts(needs, portion)
    let allDone = true
    for (const ref of due) allDone = (await mailDue(needs, ref)) && allDone
    // What is still due would be listed again at once. The task comes back to it.
    isMore = allDone && due.length === portion
  }
}

// false: it is still due. It keeps no other from being mailed.
async function mailDue(needs: Needs, ref: AcquirerRef): Promise<boolean> {
  try {
    await needs.db.inTransaction(async (tx) => {
      const request = await takeDueReceipt(tx, ref)
      if (!request) return
      const wishFor = () => receiptWishOf(needs, tx, { ...request, ref })
      await tryToMailReceipt(needs, tx, { by: { ref }, wishFor })
    })
    return true
  } catch (error) {
    if (isUnreachable(error) || !mayPass(error)) throw error
    needs.log.warn({ ref, err: error }, 'A receipt is mailed later')
    return false
  }
}

type Due = NonNullable<Awaited<ReturnType<typeof takeDueReceipt>>> & { readonly ref: AcquirerRef }

async function receiptWishOf(
  needs: Needs,
  tx: Tx,
  { account, email, ref }: Due,
): Promise<ReceiptWish | null> {
  const attempt = await findAttemptByReference({ db: tx }, { account, ref })
  assert(attempt, 'what has requested a receipt was recorded with it')
  const merchant = merchantNumbered(await listMerchants(needs, account), attempt.merchantNumber)
  // The record may have changed its mind since.
  if (!merchant?.mailsReceipts) return null
  return { attempt, email, locale: '', kept: null, because: 'record' }
}
