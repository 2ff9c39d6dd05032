import type { Clock } from '#platform/clock.ts'

export type TestClock = Clock & { advance(duration: Temporal.DurationLike): void }

// A clock that stands still until it is told to move.
export function testClock(start = '2027-01-15T10:00:00Z'): TestClock {
  let now = Temporal.Instant.from(start)
  return {
    now: () => now,
    advance: (duration) => {
      now = now.add(duration)
    },
  }
}
