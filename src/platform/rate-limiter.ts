const idleMs = 60_000
const bucketsMax = 100_000

type Bucket = { readonly tokens: number; readonly filledAtMs: number }

// A token bucket for each key: `perSecond` calls flow back every second, and at most that many can be saved
// up. In memory, for this process alone; limits that must hold across nodes are counted in the database.
export class RateLimiter {
  readonly #perSecond: number
  readonly #buckets = new Map<string, Bucket>()

  constructor(perSecond: number) {
    this.#perSecond = perSecond
  }

  // Answers 0 when the call may go on, else in how many milliseconds it may be tried again.
  take(key: string, nowMs: number): number {
    const bucket = this.#buckets.get(key) ?? { tokens: this.#perSecond, filledAtMs: nowMs }
    const flowedBack = (Math.max(0, nowMs - bucket.filledAtMs) * this.#perSecond) / 1_000
    const tokens = Math.min(this.#perSecond, bucket.tokens + flowedBack)
    const isAllowed = tokens >= 1
    this.#buckets.set(key, { tokens: isAllowed ? tokens - 1 : tokens, filledAtMs: nowMs })
    if (this.#buckets.size > bucketsMax) this.#forgetIdle(nowMs)
    return isAllowed ? 0 : Math.ceil(((1 - tokens) * 1_000) / this.#perSecond)
  }

  #forgetIdle(nowMs: number): void {
    for (const [key, { filledAtMs }] of this.#buckets) {
      if (nowMs - filledAtMs > idleMs) this.#buckets.delete(key)
    }
  }
}
