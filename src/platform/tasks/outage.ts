// Compatible with pino.
export type TaskLog = {
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
}

// Lets the queue outlive a database that does not answer, and says so once when that begins and once when it
// ends.
export class Outage {
  readonly #log: TaskLog
  #isOn = false

  constructor(log: TaskLog) {
    this.#log = log
  }

  // Answers null when the work could not be done.
  async survive<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      const done = await work()
      if (this.#isOn) this.#log.info({}, 'The task queue can be reached again')
      this.#isOn = false
      return done
    } catch (error) {
      if (!this.#isOn) this.#log.error({ err: error }, 'The task queue cannot be reached; going on trying')
      this.#isOn = true
      return null
    }
  }
}
