import { insertInstalments } from '#capabilities/recurring/new-instalment.store.ts'
import { createdEvent, firstInstalments, firstPaid } from '#capabilities/recurring/new-instalments.ts'
import { insertPlanPosts } from '#capabilities/recurring/plan-post.store.ts'
import { activatePlans, lockPlans, removePendingPlans } from '#capabilities/recurring/plan.store.ts'
import { insertPlanEvents } from '#capabilities/recurring/plan-event.store.ts'
import type { Plan } from '#capabilities/recurring/plan.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import { type Attempt, hasNoEffect } from '#engine/payments/attempt.ts'
import type { Follower, Moved } from '#engine/payments/follower.ts'
import { assert } from '#kernel/assert.ts'
import { refuse } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'

// The plan whose card is being verified, or charged for the first payment: its instalments are written once
// the issuer has approved; when it has not, nothing of the plan stays.
export const newPlanFollower: Follower<null> = {
  name: 'new_plan',
  begin: async (tx, starts) => {
    const plans = await lockPlans(
      tx,
      starts.map(({ attempt, subject }) => ({ account: attempt.accountId, plan: subject })),
    )
    const pending = new Set<bigint>(
      plans.filter(({ state }) => state === 'pending').map(({ planId }) => planId),
    )
    const missed = starts.filter(({ subject }) => !pending.has(subject))
    return new Map(
      missed.map(({ attempt: { ref, details } }) => [
        ref,
        refuse('consent_not_found', { consent: details.consentId }).refusal,
      ]),
    )
  },
  follow: async (tx, moved) => {
    const at = moved[0]?.move.at
    const made = moved.filter(({ move }) => move.to === 'approved')
    const lost = moved.filter(({ move }) => hasNoEffect(move.to)).map(({ subject }) => subject)
    if (!at) return
    if (lost.length > 0) await removePendingPlans(tx, lost)
    if (made.length === 0) return
    const locked = await lockPlans(tx, made.map(keyOf))
    const plans = locked.filter(({ state }) => state === 'pending')
    const attempts = new Map(made.map(({ move, subject }) => [subject, move.attempt]))
    const begun = plans.map((plan): Begun => {
      const attempt = attempts.get(plan.planId)
      assert(attempt, 'a plan is made by an attempt')
      return { plan, attempt }
    })
    await beginPlans(tx, begun, at)
  },
}

function keyOf({ move, subject }: Moved) {
  return { account: move.attempt.accountId, plan: subject }
}

type Begun = { readonly plan: Plan; readonly attempt: Attempt }

async function beginPlans(tx: Tx, begun: readonly Begun[], at: Temporal.Instant): Promise<void> {
  const plans = begun.map(({ plan }) => plan)
  const [, written] = await Promise.all([
    activatePlans(
      tx,
      plans.map(({ planId }) => planId),
      at,
    ),
    insertInstalments(
      tx,
      begun.flatMap(({ plan, attempt }) => firstInstalments(plan, at, chargeOf(attempt))),
      at,
    ),
  ])
  const firstOf = new Map(
    written
      .filter(({ paymentNumber }) => paymentNumber === 1)
      .map(({ planId, instalmentId }) => [planId, instalmentId]),
  )
  const paid = begun.flatMap(({ plan, attempt }) => {
    const charge = chargeOf(attempt)
    const instalmentId = firstOf.get(plan.planId)
    return charge && instalmentId !== undefined ? [firstPaid({ plan, charge, instalmentId })] : []
  })
  const created = begun.map(({ plan, attempt: { ref } }) => ({ plan, instalmentId: null, ref }))
  await insertPlanEvents(tx, [...plans.map(createdEvent), ...paid.map(({ event }) => event)], at)
  await insertPlanPosts(tx, [...created, ...paid], at)
  await appendEvents(
    tx,
    paid.map(({ told }) => told),
    at,
  )
}

// A verification has charged nothing.
function chargeOf(attempt: Attempt): Attempt | null {
  return attempt.kind === 'sale' ? attempt : null
}
