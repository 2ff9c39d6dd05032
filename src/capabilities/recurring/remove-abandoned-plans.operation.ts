import { removeAbandoned } from '#capabilities/recurring/plan.store.ts'
import type { EngineContext } from '#engine/context.ts'

// Forgets plans that never began: their consent was given up before the issuer had said a word.
export function removeAbandonedPlans({ db }: Pick<EngineContext, 'db'>): Promise<number> {
  return removeAbandoned(db)
}
