import type { EngineContext } from '#engine/context.ts'
import { removeOldLookAlikes } from '#engine/look-alikes/remove-old-look-alikes.operation.ts'
import { definePeriodicTask } from '#platform/tasks/task.ts'

export const removeOldLookAlikesTask = definePeriodicTask<EngineContext>({
  kind: 'look_alikes.remove_old',
  every: { minutes: 10 },
  run: async (needs) => {
    const removed = await removeOldLookAlikes(needs)
    if (removed > 0) needs.log.info({ removed }, 'Forgot references of charges whose time is over')
  },
})
