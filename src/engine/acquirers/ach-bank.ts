// The port of a bank that takes files of the ACH network and sends others back. A real one is handed files by
// the operator; the simulated one answers here.
export type AchBank = {
  readonly name: string
  // What comes back for a file some days after it was handed in; null when nothing does.
  returnsFor(file: string, on: Temporal.PlainDate): Promise<string | null>
}
