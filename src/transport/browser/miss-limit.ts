const missesMax = 20
export const missWindowSeconds = 600
const windowMs = missWindowSeconds * 1_000

type Misses = { readonly count: number; readonly since: number }

// Whoever guesses addresses of forms hits nothing, over and over. After twenty misses in ten minutes nothing
// is looked up for that network any more. In memory, for this process alone: an address has 128 random bits.
export class MissLimit {
  // In the order in which they began, the oldest first.
  readonly #misses = new Map<string, Misses>()
  readonly #networksMax: number

  constructor(networksMax = 50_000) {
    this.#networksMax = networksMax
  }

  get networks(): number {
    return this.#misses.size
  }

  isReached(network: string, nowMs: number): boolean {
    const misses = this.#misses.get(network)
    return misses !== undefined && misses.count >= missesMax && nowMs - misses.since < windowMs
  }

  count(network: string, nowMs: number): void {
    const before = this.#misses.get(network)
    const isOver = before === undefined || nowMs - before.since >= windowMs
    if (isOver) this.#misses.delete(network)
    this.#misses.set(network, isOver ? { count: 1, since: nowMs } : { ...before, count: before.count + 1 })
    const [oldest] = this.#misses.keys()
    if (this.#misses.size > this.#networksMax && oldest !== undefined) this.#misses.delete(oldest)
  }

  // Counts a look before it is known whether it misses; false when the limit is reached.
  take(network: string, nowMs: number): boolean {
    if (this.isReached(network, nowMs)) return false
    this.count(network, nowMs)
    return true
  }

  // It was no miss.
  giveBack(network: string): void {
    const misses = this.#misses.get(network)
    if (misses && misses.count > 0) this.#misses.set(network, { ...misses, count: misses.count - 1 })
  }
}
