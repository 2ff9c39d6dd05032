import { formFollower } from '#capabilities/forms/form.follower.ts'
import { findReceiptWish, type ReceiptWish } from '#capabilities/forms/form.store.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import type { Queryable } from '#platform/postgres/database.ts'

// Where the payer of a form wants the receipt of this payment to be mailed, and in which language; null when
// nobody wished for it, or when it was not paid on a form.
export async function receiptWishOf(
  { db }: { readonly db: Queryable },
  { accountId: account, ref, following }: Pick<Attempt, 'accountId' | 'ref' | 'following'>,
): Promise<ReceiptWish | null> {
  const form = following.find(({ follower }) => follower === formFollower.name)?.subject
  return form === undefined ? null : findReceiptWish(db, { account, form, ref })
}
