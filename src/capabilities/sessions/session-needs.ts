import type { SessionCache } from '#capabilities/sessions/session-cache.ts'
import type { KnownSession, NewSession } from '#capabilities/sessions/session.store.ts'
import type { SignInAttempt, SignInFacts } from '#capabilities/sessions/sign-in.store.ts'
import type { EngineContext } from '#engine/context.ts'

// What this slice needs beyond the engine's context; apps/build-context.ts makes it.
export type SessionNeeds = Pick<EngineContext, 'db' | 'clock' | 'keyRing' | 'log' | 'merchantReads'> & {
  // Sign-ins that arrive together share one read and one durable write.
  readonly signInReads: { add(attempt: SignInAttempt): Promise<SignInFacts> }
  readonly newSessions: { add(session: NewSession): Promise<boolean> }
  // So do calls whose sessions are not remembered.
  readonly sessionReads: { add(digest: Buffer): Promise<KnownSession | null> }
  readonly sessionCache: SessionCache
  // Failed sign-ins from one address within a minute; null when rate limits are off.
  readonly failedSignInsPerMinute: number | null
}
