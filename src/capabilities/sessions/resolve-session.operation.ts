import { digestOfSessionKey } from '#capabilities/sessions/authenticate.operation.ts'
import type { SessionNeeds } from '#capabilities/sessions/session-needs.ts'
import { findSession, type KnownSession } from '#capabilities/sessions/session.store.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Secret } from '#kernel/secret.ts'

type Needs = Pick<SessionNeeds, 'db' | 'clock' | 'sessionCache'>
type Shown = { readonly sessionKey: Secret; readonly address: string }

// Finds out who is calling. A key that is missing, unknown, expired or ended is told the same way.
export async function resolveSession(
  needs: Needs,
  { sessionKey, address }: Shown,
): Promise<Result<Caller, 'session_invalid' | 'session_elsewhere'>> {
  const session = await knownSession(needs, digestOfSessionKey(sessionKey))
  if (!session || Temporal.Instant.compare(session.expiresAt, needs.clock.now()) <= 0) {
    return refuse('session_invalid')
  }
  if (session.boundTo !== null && session.boundTo !== address) return refuse('session_elsewhere')
  return ok({ ...session, address, callerKey: null })
}

async function knownSession(needs: Needs, digest: Buffer): Promise<KnownSession | null> {
  const now = needs.clock.now()
  const remembered = needs.sessionCache.find(digest, now)
  if (remembered) return remembered
  const readIn = needs.sessionCache.generation
  const session = await findSession(needs.db, digest)
  if (session) needs.sessionCache.remember(session, { now, readIn })
  return session
}
