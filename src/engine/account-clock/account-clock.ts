import type { AccountId } from '#kernel/ids.ts'
import type { Clock } from '#platform/clock.ts'

// What time it is for an account. Business dates go by it: when something was created, what today is, whether
// a card has expired. Leases, sessions, tokens, lockouts, rate limits and recovery go by real time.
export type AccountClock = {
  now(account: AccountId): Temporal.Instant
  // What the account's clock shows at a moment of real time.
  showsAt(account: AccountId, at: Temporal.Instant): Temporal.Instant
}

// How far the clocks of accounts are ahead of real time, in milliseconds.
export type ClockOffsets = ReadonlyMap<AccountId, number>

// All clocks of one process. Only the sandbox moves any, so this is nearly always real time and never asks
// the database: whoever hears that a clock was moved hands in the offsets afresh.
export class AccountClocks implements AccountClock {
  readonly #clock: Clock
  #offsets: ClockOffsets = new Map()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  now(account: AccountId): Temporal.Instant {
    return this.showsAt(account, this.#clock.now())
  }

  showsAt(account: AccountId, at: Temporal.Instant): Temporal.Instant {
    const aheadMs = this.#offsets.get(account)
    return aheadMs === undefined ? at : at.add({ milliseconds: aheadMs })
  }

  // Accounts whose clock is ahead of real time.
  get moved(): readonly AccountId[] {
    return [...this.#offsets.keys()]
  }

  setOffsets(offsets: ClockOffsets): void {
    this.#offsets = offsets
  }
}
