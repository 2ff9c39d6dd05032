import type { EngineContext } from '#engine/context.ts'
import {
  findSessions,
  insertSessions,
  type KnownSession,
  type NewSession,
} from '#capabilities/sessions/session.store.ts'
import { readSignIns, type SignInAttempt, type SignInFacts } from '#capabilities/sessions/sign-in.store.ts'
import { type Batcher, shareStatement } from '#platform/postgres/batcher.ts'

// Sign-ins that arrive together, or while a write is under way, share one commit, durable for each.
export function sessionRecorder({ db }: Pick<EngineContext, 'db'>): Batcher<NewSession, boolean> {
  return shareStatement((sessions) => insertSessions(db, sessions))
}

// The same for what they are judged by: one statement for all of them.
export function signInReader({ db }: Pick<EngineContext, 'db'>): Batcher<SignInAttempt, SignInFacts> {
  return shareStatement((attempts) => readSignIns(db, attempts))
}

// And for whose sessions are not remembered.
export function sessionReader({ db }: Pick<EngineContext, 'db'>): Batcher<Buffer, KnownSession | null> {
  return shareStatement((digests) => findSessions(db, digests))
}
