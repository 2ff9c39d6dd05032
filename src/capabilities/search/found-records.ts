// What a query answers at most.
export const recordsMax = 10_000

export type FoundRecords<One> = {
  readonly records: readonly One[]
  // There are more; these are the newest.
  readonly isCut: boolean
  // Only so many of the newest days were looked at; null: all of them.
  readonly recentDays: number | null
}

// One more than the most is asked for, to know whether there are more.
export function foundRecords<One>(found: readonly One[], recentDays: number | null): FoundRecords<One> {
  return { records: found.slice(0, recordsMax), isCut: found.length > recordsMax, recentDays }
}
