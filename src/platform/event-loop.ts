import { monitorEventLoopDelay } from 'node:perf_hooks'

type Monitor = Pick<ReturnType<typeof monitorEventLoopDelay>, 'enable' | 'disable' | 'percentile' | 'reset'>

const resolutionMs = 10

// Answers what ends it.
export function watchEventLoop(
  lateness: Lateness,
  histogram: Monitor = monitorEventLoopDelay({ resolution: resolutionMs }),
): () => void {
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
  // It has begun to be above it.
  readonly onLate: (delayMs: number) => void
  readonly onTime: () => void
}

// How late the event loop runs, in milliseconds: of the last three seconds the middle one. A second in which
// it stood still for half of it has so few samples that this one stall is their 99th percentile. Whoever
// comes after it is served in time.
export class Lateness {
  readonly #options: LatenessOptions
  #seconds: readonly [number, number, number] = [0, 0, 0]
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
    const [, before, last] = this.#seconds
    this.#seconds = [before, last, delayMs]
    this.#current = this.#seconds.toSorted((one, other) => one - other)[1] ?? 0
    if (this.#isLate && !wasLate) this.#options.onLate(this.#current)
    if (!this.#isLate && wasLate) this.#options.onTime()
  }

  get #isLate(): boolean {
    return this.#current > this.#options.msMax
  }
}
