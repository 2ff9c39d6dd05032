import type { AccountId } from '#kernel/ids.ts'
import type { KnownSession } from '#capabilities/sessions/session.store.ts'

const sessionsMax = 10_000
// Notifications drop what has ended within a second; this bounds the harm when they do not come through.
const rememberedFor = Temporal.Duration.from({ seconds: 5 })

type Entry = { readonly session: KnownSession; readonly until: Temporal.Instant }

// What this process remembers of sessions, so that a busy caller does not cost a read on every call.
export class SessionCache {
  readonly #entries = new Map<string, Entry>()
  #generation = 0

  // Raised whenever something is forgotten. What was read before must not be remembered after.
  get generation(): number {
    return this.#generation
  }

  find(digest: Buffer, now: Temporal.Instant): KnownSession | null {
    const entry = this.#entries.get(digest.toString('hex'))
    return entry && Temporal.Instant.compare(now, entry.until) < 0 ? entry.session : null
  }

  remember(session: KnownSession, { now, readIn }: { now: Temporal.Instant; readIn: number }): void {
    if (readIn !== this.#generation) return
    const [oldest] = this.#entries.size >= sessionsMax ? this.#entries.keys() : []
    if (oldest !== undefined) this.#entries.delete(oldest)
    const entry = { session, until: now.add(rememberedFor) }
    this.#entries.set(session.sessionDigest.toString('hex'), entry)
  }

  forgetAccount(account: AccountId): void {
    this.#generation += 1
    for (const [key, { session }] of this.#entries) {
      if (session.accountId === account) this.#entries.delete(key)
    }
  }

  forgetAll(): void {
    this.#generation += 1
    this.#entries.clear()
  }
}
