import type { LoadGenerator } from './load-generator.ts'

// What every scenario is given, and what it answers. A later capability adds one file with its scenario and
// one line in scenarios.ts.

export type Extent = {
  readonly name: 'quick' | 'full'
  // Rounds of yardstick and subject; the median is taken over them.
  readonly rounds: number
  readonly sampleSeconds: number
  readonly warmUpSeconds: number
  // How often a sample is taken when other programs disturb it; the least disturbed one is kept.
  readonly triesMax: number
  readonly quietWaitMsMax: number
  // Requests of one kind in a series on one connection.
  readonly seriesLength: number
  readonly starts: number
  // Past this the whole run is given up.
  readonly minutesMax: number
}

export type Bench = {
  readonly extent: Extent
  readonly load: LoadGenerator
  // What must be undone when the benchmark ends, in whatever way.
  keep(undo: () => Promise<void>): void
  say(text: string): void
  // False once so much time has gone that the rest is needed for what has not been measured at all.
  hasTimeToRepeat(): boolean
}

export type Figure = { readonly what: string; readonly value: string; readonly notes: string }
export type Verdict = { readonly passes: boolean; readonly sentence: string }

export type Report = {
  readonly figures: readonly Figure[]
  // Against the limits that the project states. They do not decide the exit status: a noisy machine would.
  readonly verdicts: readonly Verdict[]
  // Whatever else belongs into the file of results.
  readonly details: object
}

export type Scenario = { readonly name: string; readonly run: (bench: Bench) => Promise<Report> }

// The answers and the database disagree, or a sample is no sample. Such a run has no figure.
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed'
}
