import type { ConsentId } from '#capabilities/consents/consent.ts'
import type { Instalment } from '#capabilities/recurring/instalment.ts'
import { listInstalments } from '#capabilities/recurring/instalment.store.ts'
import type { Plan } from '#capabilities/recurring/plan.ts'
import { findPlanOfConsent } from '#capabilities/recurring/plan.store.ts'
import { listPlanEvents, type PastPlanEvent } from '#capabilities/recurring/plan-event.store.ts'
import type { EngineContext } from '#engine/context.ts'

export type ShownPlan = {
  readonly plan: Plan
  readonly instalments: readonly Instalment[]
  readonly history: readonly PastPlanEvent[]
  // What is tried next; null when nothing is.
  readonly next: Instalment | null
}

// For operators, who see all accounts: where every payment of a plan stands, and why.
export async function showPlan(
  { db }: Pick<EngineContext, 'db'>,
  consent: ConsentId,
): Promise<ShownPlan | null> {
  const plan = await findPlanOfConsent(db, consent)
  if (!plan) return null
  const [instalments, history] = await Promise.all([
    listInstalments(db, plan.planId),
    listPlanEvents(db, plan.planId),
  ])
  const [next = null] = instalments
    .filter(({ state }) => state === 'scheduled')
    .toSorted((left, right) => Temporal.PlainDate.compare(left.attemptOn, right.attemptOn))
  return { plan, instalments, history, next }
}
