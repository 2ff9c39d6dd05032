import type { BankClock, Scheduler } from './bank-clock.ts'

type Planned = { readonly dueMs: number; readonly work: () => void }

// Clock and scheduler in one, for tests: time stands still until it is told to move.
export class VirtualTime implements BankClock, Scheduler {
  #nowMs: number
  readonly #planned = new Set<Planned>()

  constructor(start = '2027-01-15T10:00:00Z') {
    this.#nowMs = Temporal.Instant.from(start).epochMilliseconds
  }

  now(): Temporal.Instant {
    return Temporal.Instant.fromEpochMilliseconds(this.#nowMs)
  }

  after(delayMs: number, work: () => void): () => void {
    const planned = { dueMs: this.#nowMs + delayMs, work }
    this.#planned.add(planned)
    return () => void this.#planned.delete(planned)
  }

  // Runs what falls due, in order.
  advance(durationMs: number): void {
    const end = this.#nowMs + durationMs
    for (let next = this.#nextUntil(end); next; next = this.#nextUntil(end)) {
      this.#planned.delete(next)
      this.#nowMs = Math.max(this.#nowMs, next.dueMs)
      next.work()
    }
    this.#nowMs = end
  }

  #nextUntil(endMs: number): Planned | undefined {
    const due = [...this.#planned].filter(({ dueMs }) => dueMs <= endMs)
    return due.toSorted((left, right) => left.dueMs - right.dueMs)[0]
  }
}
