import { mkdirSync, statfsSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { printTable } from '#apps/cli/command.ts'
import { type LoadGenerator, startLoadGenerator } from './load-generator.ts'
import { type Bench, CheckFailed, type Extent, type Report, type Scenario } from './scenario.ts'
import { scenarios } from './scenarios.ts'

// npm run bench [-- --quick] [--only <scenario>]: measures this machine, prints a table and writes the same
// with every sample to .cache/bench.json. Read the ratios; absolute figures belong to the machine and the
// minute.

const extents: Readonly<Record<Extent['name'], Extent>> = {
  quick: {
    name: 'quick',
    rounds: 3,
    sampleSeconds: 3,
    warmUpSeconds: 3,
    triesMax: 2,
    quietWaitMsMax: 2_000,
    seriesLength: 2_000,
    starts: 2,
    // With what cleaning up takes, within three.
    minutesMax: 2.75,
  },
  full: {
    name: 'full',
    rounds: 7,
    sampleSeconds: 8,
    warmUpSeconds: 10,
    triesMax: 3,
    quietWaitMsMax: 20_000,
    seriesLength: 5_000,
    starts: 5,
    minutesMax: 20,
  },
}

type Outcome = { readonly name: string; readonly report: Report | null; readonly failure: string | null }

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' } } })
  const chosen = scenarios.filter(({ name }) => values.only === undefined || name === values.only)
  if (chosen.length === 0) {
    console.error(`There is no scenario ${values.only}: ${scenarios.map(({ name }) => name).join(', ')}.`)
    return 2
  }
  const extent = extents[values.quick ? 'quick' : 'full']
  if (isTmpfs(tmpdir())) console.log('The temp folder is in memory, so commits are too cheap: set TMPDIR.')
  const outcomes: Outcome[] = []
  await using undo = new AsyncDisposableStack()
  const work = measureAll(chosen, { extent, undo, outcomes })
  // The race tells of it; without this a scenario that breaks while it is cleaned up would end the process.
  work.catch(() => undefined)
  const ended = await Promise.race([work, interruption(), overtime(extent)])
  if (ended !== 'done') {
    console.error(`\nGiven up: ${ended}. Cleaning up.`)
    return 1
  }
  writeResults(extent, outcomes)
  return outcomes.every(({ failure }) => failure === null) ? 0 : 1
}

type Running = {
  readonly extent: Extent
  readonly undo: AsyncDisposableStack
  readonly outcomes: Outcome[]
}

async function measureAll(chosen: readonly Scenario[], running: Running): Promise<'done'> {
  const { extent, undo, outcomes } = running
  const load: LoadGenerator = startLoadGenerator()
  undo.defer(() => load.stop())
  const repeatUntil = performance.now() + (extent.minutesMax * 60_000) / 2
  const bench: Bench = {
    extent,
    load,
    keep: (work) => undo.defer(work),
    say,
    hasTimeToRepeat: () => performance.now() < repeatUntil,
  }
  for (const scenario of chosen) {
    console.log(`\n${scenario.name}`)
    const outcome = await measureOne(scenario, bench)
    outcomes.push(outcome)
    printOutcome(outcome)
  }
  return 'done'
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

function writeResults(extent: Extent, outcomes: readonly Outcome[]): void {
  const folder = join(import.meta.dirname, '..', '.cache')
  const machine = {
    processor: cpus()[0]?.model ?? 'unknown',
    processors: availableParallelism(),
    memoryBytes: totalmem(),
    system: `${process.platform} ${process.arch}`,
    node: process.version,
  }
  const results = { measuredAt: Temporal.Now.instant().toString(), machine, extent, outcomes }
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'bench.json'), `${JSON.stringify(results, null, 2)}\n`)
}

// Listens for good: npm passes a Ctrl-C on although the terminal has sent it already.
function interruption(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(signal))
  })
}

async function overtime({ minutesMax }: Extent): Promise<string> {
  await delay(minutesMax * 60_000, null, { ref: false })
  return `not done within ${minutesMax} minutes`
}

function isTmpfs(folder: string): boolean {
  const tmpfsMagic = 0x01021994
  return process.platform === 'linux' && statfsSync(folder).type === tmpfsMagic
}

process.exitCode = await main()
