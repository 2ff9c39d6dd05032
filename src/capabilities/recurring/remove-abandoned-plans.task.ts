import { removeAbandonedPlans } from '#capabilities/recurring/remove-abandoned-plans.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import { definePeriodicTask } from '#platform/tasks/task.ts'

export const removeAbandonedPlansTask = definePeriodicTask<EngineContext>({
  kind: 'plans.remove_abandoned',
  every: { hours: 1 },
  run: async (needs) => {
    const removed = await removeAbandonedPlans(needs)
    if (removed > 0) needs.log.info({ removed }, 'Forgot plans that never began')
  },
})
