import type { SessionNeeds } from '#capabilities/sessions/session-needs.ts'
import { endSessionByDigest } from '#capabilities/sessions/session.store.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { ok, type Ok } from '#kernel/result.ts'

// Ends the session it is called with, here at once and on every other node by notification.
export async function endSession(
  needs: Pick<SessionNeeds, 'db' | 'sessionCache'>,
  caller: Caller,
): Promise<Ok<{ readonly ended: true }>> {
  await needs.db.inTransaction((tx) => endSessionByDigest(tx, caller.sessionDigest, caller.accountId))
  needs.sessionCache.forgetAccount(caller.accountId)
  return ok({ ended: true })
}
