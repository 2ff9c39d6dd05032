export type RememberedOptions<Value> = {
  readonly entriesMax: number
  readonly forMs: number
  // Entries are forgotten by the group they belong to.
  readonly groupOf: (value: Value) => string
}

type Entry<Value> = { readonly value: Value; readonly untilMs: number }

// What this process remembers of the database, so that a busy caller does not cost a read on every call.
export class Remembered<Value> {
  readonly #options: RememberedOptions<Value>
  readonly #entries = new Map<string, Entry<Value>>()
  readonly #reads = new Map<string, Promise<Value | null>>()

  constructor(options: RememberedOptions<Value>) {
    this.#options = options
  }

  // null: it must be read.
  find(key: string, nowMs: number): Value | null {
    const entry = this.#entries.get(key)
    return entry && nowMs < entry.untilMs ? entry.value : null
  }

  // Callers that miss the same entry at the same time share one read.
  async findOrRead(key: string, nowMs: number, read: () => Promise<Value | null>): Promise<Value | null> {
    const known = this.find(key, nowMs)
    if (known !== null) return known
    const underWay = this.#reads.get(key)
    if (underWay) return underWay
    const mine = read()
    this.#reads.set(key, mine)
    try {
      const value = await mine
      // Unless something was forgotten meanwhile: what was read before must not be remembered after.
      if (value !== null && this.#reads.get(key) === mine) this.#remember(key, value, nowMs)
      return value
    } finally {
      if (this.#reads.get(key) === mine) this.#reads.delete(key)
    }
  }

  forget(group: string): void {
    for (const [key, { value }] of this.#entries) {
      if (this.#options.groupOf(value) === group) this.#entries.delete(key)
    }
    this.#reads.clear()
  }

  forgetAll(): void {
    this.#entries.clear()
    this.#reads.clear()
  }

  #remember(key: string, value: Value, nowMs: number): void {
    const { entriesMax, forMs } = this.#options
    const [oldest] = this.#entries.size >= entriesMax ? this.#entries.keys() : []
    if (oldest !== undefined) this.#entries.delete(oldest)
    this.#entries.set(key, { value, untilMs: nowMs + forMs })
  }
}
