import { removeEndedSessions } from '#capabilities/sessions/remove-ended-sessions.operation.ts'
import type { SessionNeeds } from '#capabilities/sessions/session-needs.ts'
import { definePeriodicTask } from '#platform/tasks/task.ts'

export const removeEndedSessionsTask = definePeriodicTask<SessionNeeds>({
  kind: 'sessions.remove_ended',
  every: { minutes: 10 },
  run: async (needs) => {
    const removed = await removeEndedSessions(needs)
    if (removed > 0) needs.log.info({ removed }, 'Removed ended sessions')
  },
})
