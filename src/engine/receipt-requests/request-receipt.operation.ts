import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { EngineContext } from '#engine/context.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { NewAttempt } from '#engine/payments/attempt.ts'
import { following } from '#engine/payments/follower.ts'
import { receiptRequestFollower } from '#engine/receipt-requests/receipt-request.follower.ts'
import {
  listDue,
  type ReceiptRequest,
  removeOld,
  takeDue,
} from '#engine/receipt-requests/receipt-request.store.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'

// An attempt of a merchant record that mails receipts requests one where an address is known; another one
// stays as it is.
export function withReceipt(
  attempt: NewAttempt,
  { mailsReceipts }: Pick<Merchant, 'mailsReceipts'>,
  email: string,
): NewAttempt {
  if (!mailsReceipts || email === '') return attempt
  const request = following(receiptRequestFollower, numberOf(attempt.ref), { email })
  return { ...attempt, following: [...attempt.following, request] }
}

// 60 bits of a reference that no other attempt has.
function numberOf(ref: AcquirerRef): bigint {
  return BigInt(`0x${ref.slice(-15)}`)
}

export function listDueReceipts(
  { db }: { readonly db: Queryable },
  most: number,
): Promise<readonly AcquirerRef[]> {
  return listDue(db, most)
}

// Part of the caller's transaction, which mails it. null: another node has mailed it.
export function takeDueReceipt(
  tx: Tx,
  ref: AcquirerRef,
): Promise<Pick<ReceiptRequest, 'account' | 'email'> | null> {
  return takeDue(tx, ref)
}

// As long as refunds are to be expected.
const keptDays = 400
const portion = 5_000

// Forgets addresses. By real time, which the clock of an account is never behind.
export async function removeOldRequests({ db, clock }: Pick<EngineContext, 'db' | 'clock'>): Promise<void> {
  const before = clock.now().subtract({ hours: 24 * keptDays })
  let last = portion
  while (last === portion) last = await removeOld(db, { before, most: portion })
}
