// A row of a table that changes over the years: it holds from its date until the next row's.
export type Dated = {
  readonly from: Temporal.PlainDate
  // Where the figure comes from.
  readonly source: string
}

// Rows stand in the order of their dates. Null before the first of them.
export function rowOn<Row extends Dated>(rows: readonly Row[], on: Temporal.PlainDate): Row | null {
  return rows.findLast(({ from }) => Temporal.PlainDate.compare(from, on) <= 0) ?? null
}
