import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'

// What npm run check, npm test and npm run test:full do, in one place.
//   quick: types, lint, format, dead code, house rules and every test that needs no process of its own
//   all:   quick, the proof of the money engine, pages in a real browser, and the journeys, which start, kill
//          and restart gateways
//   full:  all, with the large counts that the proofs ask for, and the benchmark with tiny ones
type Extent = 'quick' | 'all' | 'full'
type Step = { readonly name: string; readonly command: readonly string[] }
// Steps in the order in which they begin: what takes longer first, so that the lanes end at about the same
// time.
type Stage = readonly Step[]

const root = join(import.meta.dirname, '..')
const bin = (name: string): string => join(root, 'node_modules/.bin', name)

// So many steps run at the same time: two even on one core, because each waits at times, and four at most,
// because no more of them take long.
const lanes = Math.min(Math.max(availableParallelism(), 2), 4)

const testFlags = ['--test', '--test-reporter=spec', '--test-global-setup=test/support/test-cluster.ts']

const inOneProcess = [process.execPath, ...testFlags, '--test-isolation=none']

// Two steps for the quick tests, one for each core of a small machine, each with a PostgreSQL of its own and
// with about half of the work. Within a step all files share one.
const domainTests = ['src/{capabilities,engine}/**/*.test.ts']
const otherTests = [
  'src/!(capabilities|engine)/**/*.test.ts',
  'simulator/**/*.test.ts',
  'bench/**/*.test.ts',
  'tools/**/*.test.ts',
  'test/contract/!(*-in-browser).test.ts',
]

// Whatever they find is told before any test begins.
const withoutRunning: Stage = [
  { name: 'lint', command: [bin('oxlint'), '--quiet'] },
  { name: 'types', command: [bin('tsc'), '--noEmit'] },
  { name: 'dead code', command: [bin('knip'), '--no-progress'] },
  { name: 'format', command: [bin('oxfmt'), '--check'] },
  { name: 'types in the browser', command: [bin('tsc'), '--noEmit', '-p', 'browser'] },
]

const quickTests: Stage = [
  { name: 'tests of the capabilities and the engine', command: [...inOneProcess, ...domainTests] },
  { name: 'all other tests', command: [...inOneProcess, ...otherTests] },
]

// The pages in two steps, so that none lasts much longer than all the others.
const pagesAndProof: Stage = [
  {
    name: 'pages in a browser, from F on',
    command: [...inOneProcess, 'test/contract/[!a-e]*-in-browser.test.ts'],
  },
  {
    name: 'proof: every crash point times every behaviour of the bank, and random histories',
    command: [...inOneProcess, 'test/crash/**/*.test.ts', 'test/simulation/**/*.test.ts'],
  },
  { name: 'pages in a browser, to E', command: [...inOneProcess, 'test/contract/[a-e]*-in-browser.test.ts'] },
  { name: 'journeys in a browser', command: [...inOneProcess, 'test/journeys/*-in-browser.test.ts'] },
]

// One more at a time than there are lanes, because gateways that start and stop often wait. Nothing else
// runs beside them: they are about real processes, which have real patience.
const inManyProcesses = [process.execPath, ...testFlags, `--test-concurrency=${lanes + 1}`]
const journeys: Step = {
  name: 'journeys',
  command: [...inManyProcesses, 'test/journeys/!(*-in-browser).test.ts'],
}

// The benchmark from end to end with tiny numbers. What it measures belongs to the machine and decides
// nothing.
const benchmark: Step = {
  name: 'benchmark',
  command: [process.execPath, ...testFlags, 'test/benchmark/**/*.test.ts'],
}

const stagesOf: Readonly<Record<Extent, readonly Stage[]>> = {
  quick: [withoutRunning, quickTests],
  all: [withoutRunning, [...quickTests, ...pagesAndProof], [journeys]],
  full: [withoutRunning, [...quickTests, ...pagesAndProof], [journeys], [benchmark]],
}

// A step that hangs is asked to end, so that it says which test it was in and ends its own PostgreSQL, and is
// ended if it does not. Gateways that a journey has started may be left then.
const stepMinutesMax: Readonly<Record<Extent, number>> = { quick: 15, all: 25, full: 60 }

async function run(extent: Extent): Promise<number> {
  const began = performance.now()
  const env = { ...process.env, TEST_COUNTS: extent === 'full' ? 'full' : 'usual' }
  const options = { cwd: root, env, timeout: stepMinutesMax[extent] * 60_000 }
  for (const stage of stagesOf[extent]) {
    const failed = await runInLanes(stage, options)
    for (const { name } of failed) console.error(`\n${name} failed`)
    if (failed.length > 0) return 1
  }
  console.log(`\nAll checks passed in ${Math.round((performance.now() - began) / 1_000)} s`)
  return 0
}

// Answers what has failed. Nothing is begun after that.
async function runInLanes(stage: Stage, options: Limited): Promise<readonly Step[]> {
  const waiting = [...stage]
  const failed: Step[] = []
  let said = Promise.resolve()
  const runLane = async (): Promise<void> => {
    for (let step = waiting.shift(); step && failed.length === 0; step = waiting.shift()) {
      const { name } = step
      const { voice, status } = begin(step, options)
      said = said.then(() => say(name, voice))
      if ((await status) !== 0) failed.push(step)
    }
  }
  await Promise.all(Array.from({ length: lanes }, runLane))
  await said
  return failed
}

type Limited = SpawnOptions & { readonly timeout: number }

function begin({ command: [program = '', ...args] }: Step, options: Limited) {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  endIfDeaf(child, options)
  // Keeps what a step says until it is its turn, so that two steps do not talk at once.
  const voice = new PassThrough({ highWaterMark: Number.MAX_SAFE_INTEGER })
  child.stdout.pipe(voice, { end: false })
  child.stderr.pipe(voice, { end: false })
  child.once('close', () => voice.end())
  const status = once(child, 'close').then(([code]) => Number(code ?? 1))
  return { voice, status }
}

// Shows what the step that began first says as it says it, then what the others have said.
async function say(name: string, voice: PassThrough): Promise<void> {
  console.log(`\n== ${name}`)
  for await (const words of voice) process.stdout.write(words)
}

const lastWordsMs = 60_000

function endIfDeaf(child: ChildProcess, { timeout }: Limited): void {
  const ending = setTimeout(() => child.kill('SIGKILL'), timeout + lastWordsMs)
  child.once('exit', () => clearTimeout(ending))
}

const [extent] = process.argv.slice(2)
process.exitCode = extent === 'quick' || extent === 'all' || extent === 'full' ? await run(extent) : 2
