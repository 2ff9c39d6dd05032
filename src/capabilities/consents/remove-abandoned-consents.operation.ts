import { finishConsent } from '#capabilities/consents/finish-consent.operation.ts'
import { listUnfinished } from '#capabilities/consents/unfinished-consent.store.ts'
import type { EngineContext } from '#engine/context.ts'

const portion = 500
const abandonedAfter = Temporal.Duration.from({ hours: 1 })

// Comes back to consents that were left half done: erases cards whose last outcome is known by now, and
// gives up new consents whose creation died on the way. Answers how many are done with.
export async function removeAbandonedConsents(
  needs: Pick<EngineContext, 'db' | 'clock' | 'accountClock' | 'vault'>,
): Promise<number> {
  const pendingSince = needs.clock.now().subtract(abandonedAfter)
  const unfinished = await listUnfinished(needs.db, { pendingSince, most: portion })
  let finished = 0
  for (const one of unfinished) {
    const isDone = await needs.db.inTransaction((tx) => finishConsent(needs, tx, one))
    if (isDone) finished += 1
  }
  return finished
}
