import { hasApproval, hasNoEffect } from '#engine/payments/attempt.ts'
import type { Follower, Moved, Start } from '#engine/payments/follower.ts'
import { insertRequests, makeDue, removeRequests } from '#engine/receipt-requests/receipt-request.store.ts'
import type { Tx } from '#platform/postgres/database.ts'

export type ReceiptDetail = { readonly email: string }

// The receipt of a charge, credit or void, to be mailed once it is approved: due in the commit of the
// outcome, whichever process finds it. What comes to nothing has none. Its subject is a number of the
// reference.
export const receiptRequestFollower: Follower<ReceiptDetail> = {
  name: 'receipt_request',
  begin: async (tx, starts) => {
    await insertAll(tx, starts)
    return new Map()
  },
  beginAll: insertAll,
  follow: async (tx, moved) => {
    const approved = moved.filter(({ move }) => hasApproval(move.to))
    const undone = moved.filter(({ move }) => hasNoEffect(move.to))
    await Promise.all([
      approved.length > 0 ? makeDue(tx, approved.map(refOf)) : null,
      undone.length > 0 ? removeRequests(tx, undone.map(refOf)) : null,
    ])
  },
}

function insertAll(tx: Tx, starts: readonly Start<ReceiptDetail>[]): Promise<void> {
  return insertRequests(
    tx,
    starts.map(({ attempt: { ref, accountId: account, createdAt: at }, detail: { email } }) => {
      return { ref, account, email, at }
    }),
  )
}

function refOf({ move }: Moved) {
  return move.attempt.ref
}
