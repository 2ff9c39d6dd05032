import type { KnownSession } from '#capabilities/sessions/session.store.ts'
import type { AccountId } from '#kernel/ids.ts'
import type { Remembered } from '#platform/remembered.ts'

// Notifications drop what has ended within a second; the time bounds the harm when they do not come through.
export const sessionMemory = { entriesMax: 10_000, forMs: 5_000 }

// What this process remembers of sessions.
export class SessionCache {
  readonly #sessions: Remembered<KnownSession>

  constructor(sessions: Remembered<KnownSession>) {
    this.#sessions = sessions
  }

  get generation(): number {
    return this.#sessions.generation
  }

  find(digest: Buffer, now: Temporal.Instant): KnownSession | null {
    return this.#sessions.find(digest.toString('hex'), now.epochMilliseconds)
  }

  remember(session: KnownSession, { now, readIn }: { now: Temporal.Instant; readIn: number }): void {
    this.#sessions.remember(session.sessionDigest.toString('hex'), session, {
      group: String(session.accountId),
      nowMs: now.epochMilliseconds,
      readIn,
    })
  }

  forgetAccount(account: AccountId): void {
    this.#sessions.forget(String(account))
  }

  forgetAll(): void {
    this.#sessions.forgetAll()
  }
}
