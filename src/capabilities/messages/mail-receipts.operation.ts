import { queueReceipt } from '#capabilities/messages/queue-receipt.operation.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { EngineContext } from '#engine/context.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { merchantNumbered } from '#engine/merchants/merchant.ts'
import { findAttemptByReference } from '#engine/payments/find-attempt.operation.ts'
import { listDueReceipts, takeDueReceipt } from '#engine/receipt-requests/request-receipt.operation.ts'
import { assert } from '#kernel/assert.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { isUnreachable } from '#platform/postgres/failures.ts'
import { inSavepoint } from '#platform/postgres/savepoint.ts'

type Needs = Pick<EngineContext, 'db' | 'keyRing' | 'log' | 'accountClock' | 'merchantReads'>

const portion = 100

// Queues the receipts of what was approved. A request became due in the commit of its outcome and is done in
// the commit that queues its e-mail, so each is queued once, whichever node dies in between.
export async function mailReceipts(needs: Needs): Promise<void> {
  let found = portion
  while (found === portion) {
    const due = await listDueReceipts(needs, portion)
    for (const ref of due) await mailDue(needs, ref)
    found = due.length
  }
}

function mailDue(needs: Needs, ref: AcquirerRef): Promise<void> {
  return needs.db.inTransaction(async (tx) => {
    const request = await takeDueReceipt(tx, ref)
    if (!request) return
    const { account, email } = request
    try {
      await inSavepoint(tx, () => queue(needs, tx, { account, email, ref }))
    } catch (error) {
      if (isUnreachable(error)) throw error
      // The payment stands, and the other receipts are not held up by this one.
      needs.log.error({ ref, err: error }, 'A receipt is not mailed by a fault of ours')
    }
  })
}

type Due = NonNullable<Awaited<ReturnType<typeof takeDueReceipt>>> & { readonly ref: AcquirerRef }

async function queue(needs: Needs, tx: Tx, { account, email, ref }: Due): Promise<void> {
  const attempt = await findAttemptByReference({ db: tx }, { account, ref })
  assert(attempt, 'what has requested a receipt was recorded with it')
  const merchant = merchantNumbered(await listMerchants(needs, account), attempt.merchantNumber)
  // The record may have changed its mind since.
  if (!merchant?.mailsReceipts) return
  const queued = await queueReceipt(needs, tx, { attempt, email, locale: '', kept: null, because: 'record' })
  if (queued.ok) return
  const fields = { attempt: String(attempt.attemptId), because: queued.refusal.kind }
  needs.log.info(fields, 'A receipt is not mailed')
}
