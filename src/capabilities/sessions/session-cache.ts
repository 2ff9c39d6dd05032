import type { KnownSession } from '#capabilities/sessions/session.store.ts'
import type { AccountId } from '#kernel/ids.ts'
import type { Remembered } from '#platform/remembered.ts'

// Notifications drop within a second what has ended, and whose account or merchant records have changed; the
// time bounds the harm when they do not come through.
export const sessionMemory = {
  entriesMax: 10_000,
  forMs: 5_000,
  groupOf: ({ accountId }: KnownSession) => String(accountId),
}

// What this process remembers of sessions.
export class SessionCache {
  readonly #sessions: Remembered<KnownSession>

  constructor(sessions: Remembered<KnownSession>) {
    this.#sessions = sessions
  }

  // null: it must be read.
  find(digest: string, now: Temporal.Instant): KnownSession | null {
    return this.#sessions.find(digest, now.epochMilliseconds)
  }

  findOrRead(
    digest: string,
    now: Temporal.Instant,
    read: () => Promise<KnownSession | null>,
  ): Promise<KnownSession | null> {
    return this.#sessions.findOrRead(digest, now.epochMilliseconds, read)
  }

  forgetAccount(account: AccountId): void {
    this.#sessions.forget(String(account))
  }

  forgetAll(): void {
    this.#sessions.forgetAll()
  }
}
