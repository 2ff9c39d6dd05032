import type { SessionNeeds } from '#capabilities/sessions/session-needs.ts'
import { warnOfExpiringTokens } from '#capabilities/sessions/warn-of-expiring-tokens.operation.ts'
import { definePeriodicTask } from '#platform/tasks/task.ts'

export const warnOfExpiringTokensTask = definePeriodicTask<SessionNeeds>({
  kind: 'sessions.warn_of_expiring_tokens',
  every: { hours: 1 },
  run: async (needs) => {
    await warnOfExpiringTokens(needs)
  },
})
