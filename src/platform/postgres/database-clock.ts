import type { Clock } from '#platform/clock.ts'
import { readServerTime } from '#platform/postgres/check-database.store.ts'
import type { Queryable } from '#platform/postgres/database.ts'

// A node whose own clock differs by more begins nothing and recovers nothing.
const differenceMsMax = 5_000
// Time services keep clocks closer than this, so a larger difference is reported.
const usualDifferenceMsMax = 2_000

// The time of the database, which is the same for all nodes. Between two measurements it goes on with the
// steady counter of the process: an own clock that is set to another time moves it by nothing.
export class DatabaseClock implements Clock {
  readonly #own: Clock
  readonly #elapsedMs: () => number
  // What the database's clock showed when the counter was 0.
  #startMs: number
  #latestMs = 0
  #latest = Temporal.Instant.fromEpochMilliseconds(0)

  constructor(own: Clock, elapsedMs = () => performance.now()) {
    this.#own = own
    this.#elapsedMs = elapsedMs
    this.#startMs = own.now().epochMilliseconds - elapsedMs()
  }

  // Whole milliseconds, and the same instant within one of them: a busy process asks thousands of times.
  now(): Temporal.Instant {
    const ms = Math.floor(this.#startMs + this.#elapsedMs())
    if (this.#latestMs === ms) return this.#latest
    this.#latestMs = ms
    this.#latest = Temporal.Instant.fromEpochMilliseconds(ms)
    return this.#latest
  }

  // The database read its clock at some moment between question and answer, so a slow answer proves little:
  // the estimate moves only as far as the answer contradicts it.
  async measure(db: Queryable): Promise<void> {
    const before = this.#elapsedMs()
    const server = (await readServerTime(db))?.epochMilliseconds
    const after = this.#elapsedMs()
    if (server === undefined) return
    this.#startMs = Math.min(Math.max(this.#startMs, server - after), server - before)
  }

  // How far the own clock of this node is ahead of the database's; negative: behind. A process that the
  // machine suspended finds its own clock ahead until it has measured again.
  get aheadMs(): number {
    return Math.round(this.#own.now().epochMilliseconds - this.#startMs - this.#elapsedMs())
  }

  get isFar(): boolean {
    return Math.abs(this.aheadMs) > differenceMsMax
  }

  get isUnusual(): boolean {
    return Math.abs(this.aheadMs) > usualDifferenceMsMax
  }

  describe(): string {
    const ms = this.aheadMs
    if (ms === 0) return "the same as the database's"
    return ms > 0 ? `${ms} ms ahead of the database's` : `${-ms} ms behind the database's`
  }
}
