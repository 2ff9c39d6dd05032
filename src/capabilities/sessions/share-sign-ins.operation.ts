import type { EngineContext } from '#engine/context.ts'
import {
  findSessions,
  insertSessions,
  type KnownSession,
  type NewSession,
} from '#capabilities/sessions/session.store.ts'
import { readSignIns, type SignInAttempt, type SignInFacts } from '#capabilities/sessions/sign-in.store.ts'
import { Batcher } from '#platform/postgres/batcher.ts'
import { isUnreachable } from '#platform/postgres/database.ts'

const batchMax = 256

// Sign-ins that arrive together, or while a write is under way, share one commit, durable for each.
export function sessionRecorder({ db }: Pick<EngineContext, 'db'>): Batcher<NewSession, boolean> {
  return new Batcher<NewSession, boolean>({
    sizeMax: batchMax,
    isHopeless: isUnreachable,
    run: (sessions) => insertSessions(db, sessions),
  })
}

// The same for what they are judged by: one statement for all of them.
export function signInReader({ db }: Pick<EngineContext, 'db'>): Batcher<SignInAttempt, SignInFacts> {
  return new Batcher({
    sizeMax: batchMax,
    isHopeless: isUnreachable,
    run: (attempts) => readSignIns(db, attempts),
  })
}

// And for whose sessions are not remembered.
export function sessionReader({ db }: Pick<EngineContext, 'db'>): Batcher<Buffer, KnownSession | null> {
  return new Batcher({
    sizeMax: batchMax,
    isHopeless: isUnreachable,
    run: (digests) => findSessions(db, digests),
  })
}
