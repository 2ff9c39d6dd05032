import { spawn, type StdioOptions } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

// What npm run check, npm test and npm run test:full do, in one place.
//   quick: types, lint, format, dead code, house rules and every test that needs no process of its own
//   all:   quick, the proof of the money engine, and the journeys, which start, kill and restart gateways
//   full:  all, with the large counts that the proofs ask for, and the benchmark with tiny ones
type Extent = 'quick' | 'all' | 'full'
type Step = { readonly name: string; readonly command: readonly string[] }

const root = join(import.meta.dirname, '..')
const bin = (name: string): string => join(root, 'node_modules/.bin', name)

const testFlags = ['--test', '--test-reporter=spec', '--test-global-setup=test/support/test-cluster.ts']

// What a lane does in order. Lanes of a row run at once, because most steps keep one processor busy.
type Lane = readonly Step[]
type Row = readonly Lane[]

const inBrowser = globSync('test/contract/**/*-in-browser.test.ts', { cwd: root }).toSorted()
const quickTests = globSync(
  [
    'src/**/*.test.ts',
    'simulator/**/*.test.ts',
    'tools/**/*.test.ts',
    'test/contract/**/*.test.ts',
    'bench/**/*.test.ts',
  ],
  { cwd: root },
)
  .filter((file) => !inBrowser.includes(file))
  .toSorted()

// One process for all of them: they share one PostgreSQL and start no gateway of their own.
const inOneProcess = (name: string, files: readonly string[]): Step => ({
  name,
  command: [process.execPath, ...testFlags, '--test-isolation=none', ...files],
})

const judgements: Lane = [
  { name: 'types', command: [bin('tsc'), '--noEmit'] },
  { name: 'types in the browser', command: [bin('tsc'), '--noEmit', '-p', 'browser'] },
  { name: 'lint', command: [bin('oxlint'), '--quiet'] },
  { name: 'format', command: [bin('oxfmt'), '--check'] },
  { name: 'dead code', command: [bin('knip'), '--no-progress'] },
]
const tests = inOneProcess('tests', quickTests)
const browserTests = inOneProcess('tests in a browser', inBrowser)

// Every crash point times every behaviour of the bank, and random histories.
const proof = inOneProcess('proof', ['test/{crash,simulation}/**/*.test.ts'])

const journeys: Step = {
  name: 'journeys',
  command: [process.execPath, ...testFlags, '--test-concurrency=2', 'test/journeys/**/*.test.ts'],
}

// The benchmark from end to end with tiny numbers. What it measures belongs to the machine and decides
// nothing.
const benchmark: Step = {
  name: 'benchmark',
  command: [process.execPath, ...testFlags, 'test/benchmark/**/*.test.ts'],
}

const untilJourneys: readonly Row[] = [[judgements], [[tests], [browserTests, proof]], [[journeys]]]

const rowsOf: Readonly<Record<Extent, readonly Row[]>> = {
  quick: [[judgements], [[tests], [browserTests]]],
  all: untilJourneys,
  full: [...untilJourneys, [[benchmark]]],
}

async function run(extent: Extent): Promise<number> {
  const began = performance.now()
  const env = { ...process.env, TEST_COUNTS: extent === 'full' ? 'full' : 'usual' }
  for (const row of rowsOf[extent]) {
    const ends = await Promise.all(row.map((lane, at) => runLane(lane, { env, isShown: at === 0 })))
    const failed = ends.filter((name) => name !== null)
    if (failed.length > 0) {
      console.error(`\n${failed.join(' and ')} failed`)
      return 1
    }
  }
  console.log(`\nAll checks passed in ${Math.round((performance.now() - began) / 1_000)} s`)
  return 0
}

type Way = {
  readonly env: NodeJS.ProcessEnv
  // As it goes; otherwise when a step has ended, so that two do not talk at once.
  readonly isShown: boolean
}

// Answers what failed, or null.
async function runLane(lane: Lane, { env, isShown }: Way): Promise<string | null> {
  for (const { name, command } of lane) {
    if (isShown) console.log(`\n== ${name}`)
    const [program = '', ...args] = command
    const output: StdioOptions = isShown ? 'inherit' : ['ignore', 'pipe', 'inherit']
    const child = spawn(program, args, { cwd: root, env, stdio: output })
    const ended = once(child, 'close')
    const told = child.stdout ? await text(child.stdout) : ''
    await ended
    if (!isShown) console.log(`\n== ${name}\n${told}`)
    if (child.exitCode !== 0) return name
  }
  return null
}

const [extent] = process.argv.slice(2)
process.exitCode = extent === 'quick' || extent === 'all' || extent === 'full' ? await run(extent) : 2
