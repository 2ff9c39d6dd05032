import { monitorEventLoopDelay } from 'node:perf_hooks'

export type LoopDelay = { current(): number; stop(): void }

const resolutionMs = 10

// How late the event loop runs: the 99th percentile of the last second, in milliseconds.
export function watchLoopDelay(): LoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs })
  let delayMs = 0
  histogram.enable()
  const timer = setInterval(() => {
    delayMs = Math.max(0, histogram.percentile(99) / 1e6 - resolutionMs)
    histogram.reset()
  }, 1_000)
  timer.unref()
  return {
    current: () => delayMs,
    stop: () => {
      clearInterval(timer)
      histogram.disable()
    },
  }
}
