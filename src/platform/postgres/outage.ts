import type { Log } from '#platform/log.ts'
import { isUnreachable, reasonOf } from '#platform/postgres/failures.ts'

type OutageLog = Pick<Log, 'info' | 'warn' | 'error'>

// Lets what runs by itself outlive a database that does not answer. Whoever works beside each other says it
// together: once when the first of them misses it, and once when none does any more.
export class Outage {
  readonly #log: OutageLog
  readonly #missing: Set<Outage>

  constructor(log: OutageLog, missing = new Set<Outage>()) {
    this.#log = log
    this.#missing = missing
  }

  beside(): Outage {
    return new Outage(this.#log, this.#missing)
  }

  // Answers null when the work could not be done.
  async survive<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      const done = await work()
      this.#end()
      return done
    } catch (error) {
      // One that is there and too slow is told each time: what fails for ever must not be silent.
      if (isUnreachable(error)) this.#begin(error)
      else this.#log.error({ err: error }, 'What runs by itself has failed; going on trying')
      return null
    }
  }

  #begin(failure: unknown): void {
    if (this.#missing.size === 0) {
      const error = reasonOf(failure)
      this.#log.warn({ error }, 'The database cannot be reached; tasks and recovery go on trying')
    }
    this.#missing.add(this)
  }

  #end(): void {
    if (!this.#missing.delete(this) || this.#missing.size > 0) return
    this.#log.info({}, 'The database can be reached again')
  }
}
