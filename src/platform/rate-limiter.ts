const bucketsMax = 100_000

type Bucket = { readonly tokens: number; readonly filledAtMs: number }

// A token bucket for each key: `perSecond` calls flow back every second, and at most that many, or
// `most`, can be saved up. In memory, for this process alone; limits that must hold across nodes are counted
// in the database.
export class RateLimiter {
  readonly #perSecond: number
  readonly #most: number
  readonly #buckets = new Map<string, Bucket>()

  constructor(perSecond: number, most = perSecond) {
    this.#perSecond = perSecond
    this.#most = most
  }

  // The same without counting it as a call.
  look(key: string, nowMs: number): number {
    return this.#waitMs(this.#tokens(key, nowMs))
  }

  // Answers 0 when the call may go on, else in how many milliseconds it may be tried again.
  take(key: string, nowMs: number): number {
    const tokens = this.#tokens(key, nowMs)
    this.#buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, filledAtMs: nowMs })
    if (this.#buckets.size > bucketsMax) this.#forgetFull(nowMs)
    return this.#waitMs(tokens)
  }

  #tokens(key: string, nowMs: number): number {
    const bucket = this.#buckets.get(key) ?? { tokens: this.#most, filledAtMs: nowMs }
    const flowedBack = (Math.max(0, nowMs - bucket.filledAtMs) * this.#perSecond) / 1_000
    return Math.min(this.#most, bucket.tokens + flowedBack)
  }

  #waitMs(tokens: number): number {
    return tokens >= 1 ? 0 : Math.ceil(((1 - tokens) * 1_000) / this.#perSecond)
  }

  // A full bucket is as good as none.
  #forgetFull(nowMs: number): void {
    for (const key of this.#buckets.keys()) {
      if (this.#tokens(key, nowMs) === this.#most) this.#buckets.delete(key)
    }
    const [oldest] = this.#buckets.keys()
    if (this.#buckets.size > bucketsMax && oldest !== undefined) this.#buckets.delete(oldest)
  }
}
