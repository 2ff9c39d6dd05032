import type { LoadGenerator } from './load-generator.ts'

// What every scenario is given, and what it answers. A later capability adds one file with its scenario and
// one line in scenarios.ts.

export type Extent = {
  readonly name: 'smoke' | 'quick' | 'full'
  // Rounds of yardstick and subject; the median is taken over them.
  readonly rounds: number
  readonly sampleSeconds: number
  readonly warmUpSeconds: number
  // How often a sample is taken when other programs disturb it; the least disturbed one is kept.
  readonly triesMax: number
  readonly quietWaitMsMax: number
  readonly quietWaitMsInAll: number
  // How long repeated samples may take in all.
  readonly repeatSecondsInAll: number
  // Requests of one kind in a series on one connection.
  readonly seriesLength: number
  readonly starts: number
  readonly charges: ChargeExtent
  // Past this the whole run is given up.
  readonly minutesMax: number
}

// Of everything that charges.
export type ChargeExtent = {
  readonly consents: number
  readonly walGigabytes: number
  readonly connections: number
  readonly rounds: number
  readonly sampleSeconds: number
  readonly warmUpSeconds: number
  // Samples of a latency; the median is taken over them.
  readonly latencySamples: number
  readonly latencySeconds: number
  readonly hostileSeconds: number
  // How many charges the hot consent has room for.
  readonly hotRoom: number
}

export type Bench = {
  readonly extent: Extent
  // Of each gateway; null: as many as suit the scenario.
  readonly workers: number | null
  // Even where there is a pgbench.
  readonly usesDriver: boolean
  readonly load: LoadGenerator
  // What must be undone when the benchmark ends, in whatever way.
  keep(undo: () => Promise<void>): void
  say(text: string): void
  waitForQuiet(): Promise<void>
  // Until the whole run is given up.
  secondsLeft(): number
  // So much is still to be done at least: from now on nothing is waited for or repeated at its expense.
  reserve(seconds: number): void
  // False once so much time was spent on repeated samples that the rest is needed for what has not been
  // measured at all.
  mayRepeat(seconds: number): boolean
}

export type Figure = { readonly what: string; readonly value: string; readonly notes: string }
export type Verdict = { readonly passes: boolean; readonly sentence: string }

export type Report = {
  readonly figures: readonly Figure[]
  // Against the limits that the project states. They do not decide the exit status: a noisy machine would.
  readonly verdicts: readonly Verdict[]
  // Whatever else belongs into the file of results.
  readonly details: object
  // The lines that the whole output ends with.
  readonly lastLines?: readonly string[]
}

export type Scenario = {
  readonly name: string
  // Where it belongs; `soak` is asked for by name.
  readonly extents: readonly (Extent['name'] | 'soak')[]
  // About what it takes in a quick run, which leaves it out when less is left.
  readonly quickSeconds?: number
  readonly run: (bench: Bench) => Promise<Report>
}

// The answers and the database disagree, or a sample is no sample. Such a run has no figure.
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed'
}
