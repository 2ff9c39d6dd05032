import { monitorEventLoopDelay } from 'node:perf_hooks'

const resolutionMs = 10

// Answers what ends it.
export function watchEventLoop(lateness: Lateness): () => void {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  histogram.enable()
  const timer = setInterval(() => {
    lateness.add(Math.max(0, Math.round(histogram.percentile(99) / 1e6) - resolutionMs))
    histogram.reset()
  }, 1_000)
  timer.unref()
  return () => {
    clearInterval(timer)
    histogram.disable()
  }
}

export type LatenessOptions = {
  readonly msMax: number
  // When it begins to be above it, and when it is no longer.
  readonly tell: (isLate: boolean, delayMs: number) => void
}

// How late the event loop runs, in milliseconds: of the last two seconds the better one. A second has a
// hundred samples at most, so that a single stall, such as a large collection of garbage, makes its 99th
// percentile. Whoever comes after that is served in time.
export class Lateness {
  readonly #options: LatenessOptions
  #lastSecond = 0
  #current = 0

  constructor(options: LatenessOptions) {
    this.#options = options
  }

  get current(): number {
    return this.#current
  }

  // The 99th percentile of one more second.
  add(delayMs: number): void {
    const wasLate = this.#isLate
    this.#current = Math.min(this.#lastSecond, delayMs)
    this.#lastSecond = delayMs
    if (this.#isLate !== wasLate) this.#options.tell(this.#isLate, this.#current)
  }

  get #isLate(): boolean {
    return this.#current > this.#options.msMax
  }
}
