// Where a record stands in the order of its search. Both numbers never change, so a page begins where the one
// before it ended, whatever was written meanwhile.
export type Position = readonly [bigint, bigint]

const nanosecondsEach = 1_000n

// Of records in the order of time. PostgreSQL keeps microseconds.
export function positionInTime(at: Temporal.Instant, id: bigint): Position {
  return [at.epochNanoseconds / nanosecondsEach, id]
}

export function momentOf([microseconds]: Position): Temporal.Instant {
  return Temporal.Instant.fromEpochNanoseconds(microseconds * nanosecondsEach)
}
