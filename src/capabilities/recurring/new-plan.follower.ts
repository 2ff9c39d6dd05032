import { insertInstalments } from '#capabilities/recurring/new-instalment.store.ts'
import { createdEvent, firstInstalments } from '#capabilities/recurring/new-instalments.ts'
import { activatePlans, lockPlans, removePendingPlans } from '#capabilities/recurring/plan.store.ts'
import { insertPlanEvents } from '#capabilities/recurring/plan-event.store.ts'
import { hasNoEffect } from '#engine/payments/attempt.ts'
import type { Follower, Moved } from '#engine/payments/follower.ts'
import { refuse } from '#kernel/result.ts'

// The plan whose card is being verified: its instalments are written once the issuer has approved; when it
// has not, nothing of the plan stays.
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
    await Promise.all([
      activatePlans(
        tx,
        plans.map(({ planId }) => planId),
        at,
      ),
      insertInstalments(
        tx,
        plans.flatMap((plan) => firstInstalments(plan, at)),
        at,
      ),
      insertPlanEvents(tx, plans.map(createdEvent), at),
    ])
  },
}

function keyOf({ move, subject }: Moved) {
  return { account: move.attempt.accountId, plan: subject }
}
