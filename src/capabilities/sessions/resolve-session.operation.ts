import { digestOfSessionKey } from '#capabilities/sessions/authenticate.operation.ts'
import type { SessionNeeds } from '#capabilities/sessions/session-needs.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Secret } from '#kernel/secret.ts'

type Needs = Pick<SessionNeeds, 'clock' | 'sessionReads' | 'sessionCache'>
type Shown = { readonly sessionKey: Secret; readonly address: string }

// Finds out who is calling. A key that is missing, unknown, expired or ended is told the same way.
export async function resolveSession(
  needs: Needs,
  { sessionKey, address }: Shown,
): Promise<Result<Caller, 'session_invalid' | 'session_elsewhere'>> {
  const [digest, now] = [digestOfSessionKey(sessionKey), needs.clock.now()]
  const read = () => needs.sessionReads.add(Buffer.from(digest, 'hex'))
  const session =
    needs.sessionCache.find(digest, now) ?? (await needs.sessionCache.findOrRead(digest, now, read))
  const isOver = !session || session.expiresAt.epochMilliseconds <= now.epochMilliseconds
  if (isOver) return refuse('session_invalid')
  if (session.boundTo !== null && session.boundTo !== address) return refuse('session_elsewhere')
  return ok({ ...session, address, callerKey: null })
}
