type Picks<Row> = readonly ((row: Row) => unknown)[]
type Columns<Row, Of extends Picks<Row>> = { readonly [At in keyof Of]: readonly ReturnType<Of[At]>[] }

// What rows of one kind become in a statement: an array for each function. The functions are made once and
// not for every batch, because the engine drops what it has compiled for a function together with that
// function, at every large collection of garbage, and its successor is as slow as on the first day.
export function columnsOf<Row>() {
  return <const Of extends Picks<Row>>(...picks: Of) =>
    (rows: readonly Row[]): Columns<Row, Of> => {
      const columns: unknown[][] = []
      for (const pick of picks) columns.push(rows.map(pick))
      return columns as unknown as Columns<Row, Of>
    }
}
