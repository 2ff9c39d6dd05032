import type { InstalmentId } from '#capabilities/recurring/instalment.ts'
import { listPlanPosts, takePlanPost } from '#capabilities/recurring/plan-post.store.ts'
import type { Plan } from '#capabilities/recurring/plan.ts'
import { findPlanOfConsent } from '#capabilities/recurring/plan.store.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import { findAttemptByReference } from '#engine/payments/find-attempt.operation.ts'
import { assert } from '#kernel/assert.ts'
import { accountId } from '#kernel/ids.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'

// What the address of a plan is to learn: that it was made, or that one of its payments was.
export type PlanPost = {
  readonly plan: Plan
  readonly payment: { readonly instalmentId: InstalmentId; readonly paymentNumber: number } | null
  // By which it was made.
  readonly attempt: Attempt
  readonly at: Temporal.Instant
}

// By age. Taking one deletes it, in the transaction that queues it.
export function listUnqueuedPlanPosts(
  { db }: { readonly db: Queryable },
  portion: { readonly after: bigint; readonly most: number },
): Promise<readonly bigint[]> {
  return listPlanPosts(db, portion)
}

// null when it was queued, or when another node is about to.
export async function takePlanPostToQueue(tx: Tx, post: bigint): Promise<PlanPost | null> {
  const taken = await takePlanPost(tx, post)
  if (!taken) return null
  const { consentId, accountId: account, ref, payment, at } = taken
  const plan = await findPlanOfConsent(tx, consentId)
  const attempt = await findAttemptByReference({ db: tx }, { account: accountId(account), ref })
  assert(plan && attempt, 'a plan that was made is found again, and so is its attempt')
  return { plan, payment, attempt, at }
}
