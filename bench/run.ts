import { mkdirSync, statfsSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { printTable } from '#apps/cli/print-table.ts'
import { type LoadGenerator, loadGenerator } from './load-generator.ts'
import { quietWaiter } from './measure.ts'
import { type Options, readOptions } from './options.ts'
import { type Bench, CheckFailed, type Report, type Scenario } from './scenario.ts'

// npm run bench measures this machine, prints a table and writes the same with every sample to a file. Read
// the ratios; absolute figures belong to the machine and the minute. docs/performance.md explains the rest,
// options.ts the options.

type Outcome = {
  readonly name: string
  readonly report: Report | null
  readonly failure: string | null
  readonly isLeftOut?: true
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2))
  if ('status' in options) {
    const tell = options.status === 0 ? console.log : console.error
    tell(options.text)
    return options.status
  }
  if (isTmpfs(tmpdir())) console.log('The temp folder is in memory, so commits are too cheap: set TMPDIR.')
  const outcomes: Outcome[] = []
  await using undo = new AsyncDisposableStack()
  const work = measureAll(options, { undo, outcomes })
  // The race tells of it; without this a scenario that breaks while it is cleaned up would end the process.
  work.catch(() => undefined)
  const ended = await Promise.race([work, interruption(), overtime(options)])
  if (ended !== 'done') console.error(`\nGiven up: ${ended}. Cleaning up.`)
  // What was measured by then is worth having.
  writeResults(options, outcomes, ended)
  for (const { report } of outcomes) for (const line of report?.lastLines ?? []) console.log(line)
  return ended === 'done' && outcomes.every(({ failure }) => failure === null) ? 0 : 1
}

type Running = { readonly undo: AsyncDisposableStack; readonly outcomes: Outcome[] }

async function measureAll(options: Options, { undo, outcomes }: Running): Promise<'done'> {
  const { extent, chosen } = options
  const load = loadGenerator()
  undo.defer(() => load.stop())
  const bench = benchFor(options, { load, undo })
  for (const scenario of chosen) {
    console.log(`\n${scenario.name}`)
    // What is left out makes no run fail: the rest of the figures is worth having.
    if (extent.name === 'quick' && bench.secondsLeft() < (scenario.quickSeconds ?? 0)) {
      console.log('  LEFT OUT: no time is left for it in a quick run')
      outcomes.push({ name: scenario.name, report: null, failure: null, isLeftOut: true })
      continue
    }
    const outcome = await measureOne(scenario, bench)
    outcomes.push(outcome)
    printOutcome(outcome)
  }
  return 'done'
}

type Made = { readonly load: LoadGenerator; readonly undo: AsyncDisposableStack }

function benchFor({ extent, workers, usesDriver }: Options, { load, undo }: Made): Bench {
  let repeatSeconds = 0
  let reserved = 0
  const endAt = performance.now() + extent.minutesMax * 60_000
  const secondsLeft = (): number => (endAt - performance.now()) / 1_000
  const waitForQuiet = quietWaiter({ waitMsMax: extent.quietWaitMsMax, inAllMs: extent.quietWaitMsInAll })
  return {
    extent,
    workers,
    usesDriver,
    load,
    keep: (work) => undo.defer(work),
    say,
    secondsLeft,
    reserve: (seconds) => {
      reserved = seconds
    },
    waitForQuiet: async () => {
      if (secondsLeft() > reserved) await waitForQuiet()
    },
    mayRepeat: (seconds) => {
      repeatSeconds += seconds
      return repeatSeconds <= extent.repeatSecondsInAll && secondsLeft() > reserved + seconds
    },
  }
}

function say(text: string): void {
  console.log(`  ${text}`)
}

async function measureOne({ name, run }: Scenario, bench: Bench): Promise<Outcome> {
  try {
    return { name, report: await run(bench), failure: null }
  } catch (error) {
    if (!(error instanceof CheckFailed)) throw error
    return { name, report: null, failure: error.message }
  }
}

function printOutcome({ report, failure }: Outcome): void {
  if (!report) return console.log(`  NO FIGURE  ${failure}`)
  console.log(`\n${printTable(report.figures.map(({ what, value, notes }) => ({ what, value, notes })))}\n`)
  for (const { passes, sentence } of report.verdicts) console.log(`${passes ? 'PASS' : 'FAIL'}  ${sentence}`)
}

function writeResults({ extent, resultsFile }: Options, outcomes: readonly Outcome[], ended: string): void {
  const machine = {
    processor: cpus()[0]?.model ?? 'unknown',
    processors: availableParallelism(),
    memoryBytes: totalmem(),
    system: `${process.platform} ${process.arch}`,
    node: process.version,
  }
  const results = { measuredAt: Temporal.Now.instant().toString(), ended, machine, extent, outcomes }
  mkdirSync(dirname(resultsFile), { recursive: true })
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`)
  console.log(`\nEvery sample: ${resultsFile}`)
}

// Listens for good: npm passes a Ctrl-C on although the terminal has sent it already.
function interruption(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal))
  })
}

async function overtime({ extent: { minutesMax } }: Options): Promise<string> {
  await delay(minutesMax * 60_000, null, { ref: false })
  return `not done within ${minutesMax} minutes`
}

function isTmpfs(folder: string): boolean {
  const tmpfsMagic = 0x01021994
  return process.platform === 'linux' && statfsSync(folder).type === tmpfsMagic
}

process.exitCode = await main()
