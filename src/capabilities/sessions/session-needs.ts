import type { SessionCache } from '#capabilities/sessions/session-cache.ts'
import type { NewSession } from '#capabilities/sessions/session.store.ts'
import type { EngineContext } from '#engine/context.ts'

// What this slice needs beyond the engine's context; apps/build-context.ts makes it.
export type SessionNeeds = Pick<EngineContext, 'db' | 'clock' | 'keyRing' | 'log'> & {
  // Sign-ins that arrive together share one durable write.
  readonly newSessions: { add(session: NewSession): Promise<void> }
  readonly sessionCache: SessionCache
  // Failed sign-ins from one address within a minute; null when rate limits are off.
  readonly failedSignInsPerMinute: number | null
}
