type Picks<Row> = readonly ((row: Row) => unknown)[]
type Columns<Row, Of extends Picks<Row>> = { readonly [At in keyof Of]: readonly ReturnType<Of[At]>[] }

// What rows of one kind become in a statement: an array for each function. The functions are made once and
// not for every batch: V8 drops a function's compiled code together with the function, and one that is made
// anew is as slow as on the first day.
export function columnsOf<Row>() {
  return <const Of extends Picks<Row>>(...picks: Of) =>
    (rows: readonly Row[]): Columns<Row, Of> => {
      const columns: unknown[][] = []
      for (const pick of picks) columns.push(rows.map(pick))
      return columns as unknown as Columns<Row, Of>
    }
}
