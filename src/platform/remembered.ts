export type RememberedOptions = {
  readonly entriesMax: number
  readonly forMs: number
}

type Entry<Value> = { readonly group: string; readonly value: Value; readonly untilMs: number }

// What this process remembers of the database, so that a busy caller does not cost a read on every call.
// Entries belong to groups, and are forgotten by group.
export class Remembered<Value> {
  readonly #options: RememberedOptions
  readonly #entries = new Map<string, Entry<Value>>()
  #generation = 0

  constructor(options: RememberedOptions) {
    this.#options = options
  }

  // Raised whenever something is forgotten. What was read before must not be remembered after.
  get generation(): number {
    return this.#generation
  }

  find(key: string, nowMs: number): Value | null {
    const entry = this.#entries.get(key)
    return entry && nowMs < entry.untilMs ? entry.value : null
  }

  remember(key: string, value: Value, seen: { group: string; nowMs: number; readIn: number }): void {
    if (seen.readIn !== this.#generation) return
    const { entriesMax, forMs } = this.#options
    const [oldest] = this.#entries.size >= entriesMax ? this.#entries.keys() : []
    if (oldest !== undefined) this.#entries.delete(oldest)
    this.#entries.set(key, { group: seen.group, value, untilMs: seen.nowMs + forMs })
  }

  forget(group: string): void {
    this.#generation += 1
    for (const [key, entry] of this.#entries) {
      if (entry.group === group) this.#entries.delete(key)
    }
  }

  forgetAll(): void {
    this.#generation += 1
    this.#entries.clear()
  }
}
