// The only place that knows what time it is. Everything else is given a clock, so that time can be moved
// and tested.
export type Clock = { now(): Temporal.Instant }

// Whole milliseconds: what the interface writes, and what the database gives back unchanged.
export const systemClock: Clock = {
  now: () => Temporal.Instant.fromEpochMilliseconds(Temporal.Now.instant().epochMilliseconds),
}
