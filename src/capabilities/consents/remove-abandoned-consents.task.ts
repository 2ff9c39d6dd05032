import { removeAbandonedConsents } from '#capabilities/consents/remove-abandoned-consents.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import { definePeriodicTask } from '#platform/tasks/task.ts'

export const removeAbandonedConsentsTask = definePeriodicTask<EngineContext>({
  kind: 'consents.remove_abandoned',
  every: { seconds: 10 },
  run: async (needs) => {
    const finished = await removeAbandonedConsents(needs)
    if (finished > 0) needs.log.info({ finished }, 'Finished consents that were left half done')
  },
})
