import { knownNetworkFor } from '#capabilities/sessions/lockout.ts'
import type { SessionNeeds } from '#capabilities/sessions/session-needs.ts'
import { removeEndedSessions as removePortion } from '#capabilities/sessions/session.store.ts'
import { removeOldSignInFailures } from '#capabilities/sessions/sign-in.store.ts'

const portion = 5_000
const failuresKept = Temporal.Duration.from({ hours: 24 })

// Forgets sessions that have expired and failed sign-ins that no longer matter. Answers how many sessions
// went.
export async function removeEndedSessions(needs: Pick<SessionNeeds, 'db' | 'clock'>): Promise<number> {
  const now = needs.clock.now()
  await removeOldSignInFailures(needs.db, {
    failures: now.subtract(failuresKept),
    successes: now.subtract(knownNetworkFor),
  })
  let removed = 0
  let last = portion
  while (last === portion) {
    last = await removePortion(needs.db, { before: now, most: portion })
    removed += last
  }
  return removed
}
