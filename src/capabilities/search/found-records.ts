// What a page holds at most, and without a PageSize.
export const recordsMax = 10_000

export type FoundRecords<One> = {
  readonly records: readonly One[]
  // Where the next page begins; null on the last one.
  readonly nextCursor: string | null
}

export type RecordQuery = {
  readonly query: string
  readonly pageSize: number
  // Empty for the first page.
  readonly cursor: string
}
