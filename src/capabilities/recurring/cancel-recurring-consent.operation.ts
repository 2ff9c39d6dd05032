import {
  cancelConsent,
  type Cancellation,
  type Cancelled,
  type Ending,
} from '#capabilities/consents/cancel-consent.operation.ts'
import { cancelScheduled } from '#capabilities/recurring/instalment-move.store.ts'
import { findPlanOfConsent, lockPlans, setPlansCancelled } from '#capabilities/recurring/plan.store.ts'
import { insertPlanEvents } from '#capabilities/recurring/plan-event.store.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'

type Needs = Pick<EngineContext, 'db' | 'clock' | 'accountClock' | 'vault'>

// Ends a recurring consent with its plan, and erases its card.
export function cancelRecurringConsent(
  needs: Needs,
  caller: Caller,
  { consentId }: Cancellation,
): Promise<Cancelled> {
  return cancelConsent(needs, caller, { consentId, endPlan })
}

// What is being charged is left to its outcome; a decline is not tried again.
const endPlan: Ending = async (tx, { consentId, at }) => {
  const found = await findPlanOfConsent(tx, consentId)
  if (!found) return
  const { accountId, planId } = found
  await lockPlans(tx, [{ account: accountId, plan: planId }])
  const because = 'The consent was cancelled'
  const ended = await setPlansCancelled(tx, [{ planId, because }], at)
  await cancelScheduled(tx, [{ planId, because }], at)
  if (!ended.has(planId)) return
  const nothing = { instalmentId: null, attemptRef: null, nextOn: null }
  await insertPlanEvents(tx, [{ planId, accountId, ...nothing, what: 'cancelled', because }], at)
}
