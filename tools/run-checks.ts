import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

// What npm run check, npm test and npm run test:full do, in one place.
//   quick: types, lint, format, dead code, house rules and every test that needs no process of its own
//   all:   quick, the proof of the money engine, pages in a real browser, and the journeys, which start, kill
//          and restart gateways
//   full:  all, with the large counts that the proofs ask for, and the benchmark with tiny ones
type Extent = 'quick' | 'all' | 'full'
type Step = { readonly name: string; readonly command: readonly string[] }
// Steps that run at the same time.
type Stage = readonly Step[]

const root = join(import.meta.dirname, '..')
const bin = (name: string): string => join(root, 'node_modules/.bin', name)

const testFlags = ['--test', '--test-reporter=spec', '--test-global-setup=test/support/test-cluster.ts']

const inOneProcess = [process.execPath, ...testFlags, '--test-isolation=none']

// Two processes for the quick tests, one for each core of a small machine, each with a PostgreSQL of its own
// and with about half of the work. Within a process all files share one.
const capabilityTests = ['src/capabilities/**/*.test.ts']
const otherTests = [
  'src/!(capabilities)/**/*.test.ts',
  'simulator/**/*.test.ts',
  'bench/**/*.test.ts',
  'tools/**/*.test.ts',
  'test/contract/!(*-in-browser).test.ts',
]

const quickStages: readonly Stage[] = [
  [{ name: 'types', command: [bin('tsc'), '--noEmit'] }],
  [{ name: 'types in the browser', command: [bin('tsc'), '--noEmit', '-p', 'browser'] }],
  [{ name: 'lint', command: [bin('oxlint'), '--quiet'] }],
  [{ name: 'format', command: [bin('oxfmt'), '--check'] }],
  [{ name: 'dead code', command: [bin('knip'), '--no-progress'] }],
  [
    { name: 'tests of the capabilities', command: [...inOneProcess, ...capabilityTests] },
    { name: 'all other tests', command: [...inOneProcess, ...otherTests] },
  ],
]

const proofAndPages: Stage = [
  {
    name: 'proof: every crash point times every behaviour of the bank, and random histories',
    command: [...inOneProcess, 'test/crash/**/*.test.ts', 'test/simulation/**/*.test.ts'],
  },
  { name: 'pages in a browser', command: [...inOneProcess, 'test/contract/*-in-browser.test.ts'] },
]

// One more at a time than a small machine has cores, because gateways that start and stop often wait.
const journeys: Step = {
  name: 'journeys',
  command: [process.execPath, ...testFlags, '--test-concurrency=3', 'test/journeys/**/*.test.ts'],
}

// The benchmark from end to end with tiny numbers. What it measures belongs to the machine and decides
// nothing.
const benchmark: Step = {
  name: 'benchmark',
  command: [process.execPath, ...testFlags, 'test/benchmark/**/*.test.ts'],
}

const stagesOf: Readonly<Record<Extent, readonly Stage[]>> = {
  quick: quickStages,
  all: [...quickStages, proofAndPages, [journeys]],
  full: [...quickStages, proofAndPages, [journeys], [benchmark]],
}

// A step that hangs is asked to end, so that it says which test it was in and ends its own PostgreSQL, and is
// ended if it does not. Gateways that a journey has started may be left then.
const stepMinutesMax: Readonly<Record<Extent, number>> = { quick: 15, all: 25, full: 60 }

async function run(extent: Extent): Promise<number> {
  const began = performance.now()
  const env = { ...process.env, TEST_COUNTS: extent === 'full' ? 'full' : 'usual' }
  const options = { cwd: root, env, timeout: stepMinutesMax[extent] * 60_000 }
  for (const stage of stagesOf[extent]) {
    const [first, ...others] = stage
    if (!first) continue
    const collected = others.map((step) => collect(step, options))
    const statuses = [await show(first, options)]
    for (const other of collected) {
      const { output, status } = await other
      console.log(output)
      statuses.push(status)
    }
    const failed = stage.filter((_, at) => statuses[at] !== 0)
    for (const { name } of failed) console.error(`\n${name} failed`)
    if (failed.length > 0) return 1
  }
  console.log(`\nAll checks passed in ${Math.round((performance.now() - began) / 1_000)} s`)
  return 0
}

type Limited = SpawnOptions & { readonly timeout: number }

// Shows what a step says as it says it.
async function show({ name, command: [program = '', ...args] }: Step, options: Limited): Promise<number> {
  console.log(`\n== ${name}`)
  const child = spawn(program, args, { ...options, stdio: 'inherit' })
  endIfDeaf(child, options)
  const [status] = await once(child, 'exit')
  return Number(status ?? 1)
}

// Keeps what a step says until it is over, so that two steps do not talk at once.
async function collect({ name, command: [program = '', ...args] }: Step, options: Limited) {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  endIfDeaf(child, options)
  const [output, problems, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { output: `\n== ${name}\n${output}${problems}`, status: Number(status ?? 1) }
}

const lastWordsMs = 60_000

function endIfDeaf(child: ChildProcess, { timeout }: Limited): void {
  const ending = setTimeout(() => child.kill('SIGKILL'), timeout + lastWordsMs)
  child.once('exit', () => clearTimeout(ending))
}

const [extent] = process.argv.slice(2)
process.exitCode = extent === 'quick' || extent === 'all' || extent === 'full' ? await run(extent) : 2
