import type { FormNeeds } from '#capabilities/forms/form-needs.ts'
import {
  listUnqueuedPlanPosts,
  type PlanPost,
  takePlanPostToQueue,
} from '#capabilities/recurring/plan-posts.operation.ts'
import type { QueuedPost } from '#capabilities/webhooks/queue-posts.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import { findOrderOfAttempt } from '#engine/orders/find-order.operation.ts'
import type { Tx } from '#platform/postgres/database.ts'

type Needs = Pick<EngineContext, 'db' | 'keyRing' | 'log'> & Pick<FormNeeds, 'queuePosts' | 'formMessages'>

const postsAtOnce = 100

// Queues what the addresses of forms learn of the plans that were made by them: each was written in the
// commit of its payment and is taken away by the commit that queues it, so it is queued once, whatever dies
// in between.
export async function postPlans(needs: Needs): Promise<void> {
  let [after, found] = [0n, postsAtOnce]
  while (found === postsAtOnce) {
    const posts = await listUnqueuedPlanPosts(needs, { after, most: postsAtOnce })
    for (const post of posts) await queueApart(needs, post)
    after = posts.at(-1) ?? after
    found = posts.length
  }
}

// Each on its own: one that cannot be queued keeps no other from it.
async function queueApart(needs: Needs, id: bigint): Promise<void> {
  try {
    await needs.db.inTransaction(async (tx) => {
      const post = await takePlanPostToQueue(tx, id)
      if (post) await needs.queuePosts(tx, [await postOf(needs, tx, post)])
    })
  } catch (error) {
    needs.log.warn({ planPost: String(id), err: error }, 'A post about a payment plan is queued later')
  }
}

async function postOf({ formMessages, keyRing }: Needs, tx: Tx, post: PlanPost): Promise<QueuedPost> {
  const { plan, payment, attempt, at } = post
  const order = await findOrderOfAttempt({ db: tx }, attempt)
  const text = formMessages.plan({ post, order, isSandbox: keyRing.mode === 'sandbox' })
  const key = payment ? `plan_${plan.planId}_payment_${payment.paymentNumber}` : `plan_${plan.planId}`
  return { accountId: plan.accountId, key, url: plan.posting.url, content: { kind: 'json', text }, at }
}
