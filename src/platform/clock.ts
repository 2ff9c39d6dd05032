// The only place that knows what time it is. Everything else is given a clock, so that time can be moved
// and tested.
export type Clock = { now(): Temporal.Instant }

let latestMs = 0
let latest = Temporal.Instant.fromEpochMilliseconds(latestMs)

// Whole milliseconds: what the interface writes, and what the database gives back unchanged. Within one
// millisecond it is the same instant, because a busy process asks thousands of times.
export const systemClock: Clock = {
  now: () => {
    const ms = Date.now()
    if (latestMs === ms) return latest
    latestMs = ms
    latest = Temporal.Instant.fromEpochMilliseconds(ms)
    return latest
  },
}
