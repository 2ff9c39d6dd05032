import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

// What npm run check, npm test and npm run test:full do, in one place.
//   quick: types, lint, format, dead code, house rules and every test that needs no process of its own
//   all:   quick, the proof of the money engine, and the journeys, which start, kill and restart gateways
//   full:  all, with the large counts that the proofs ask for, and the benchmark with tiny ones
type Extent = 'quick' | 'all' | 'full'
type Step = { readonly name: string; readonly command: readonly string[] }

const root = join(import.meta.dirname, '..')
const bin = (name: string): string => join(root, 'node_modules/.bin', name)

const testFlags = ['--test', '--test-reporter=spec', '--test-global-setup=test/support/test-cluster.ts']

const quickTests = [
  'src/**/*.test.ts',
  'simulator/**/*.test.ts',
  'tools/**/*.test.ts',
  'test/contract/**/*.test.ts',
  'bench/**/*.test.ts',
]

const quickSteps: readonly Step[] = [
  { name: 'types', command: [bin('tsc'), '--noEmit'] },
  { name: 'types in the browser', command: [bin('tsc'), '--noEmit', '-p', 'browser'] },
  { name: 'lint', command: [bin('oxlint'), '--quiet'] },
  { name: 'format', command: [bin('oxfmt'), '--check'] },
  { name: 'dead code', command: [bin('knip'), '--no-progress'] },
  {
    name: 'tests',
    // One process for all of them: they share one PostgreSQL and start no gateway of their own.
    command: [process.execPath, ...testFlags, '--test-isolation=none', ...quickTests],
  },
]

// Every crash point times every behaviour of the bank, and random histories.
const proof: Step = {
  name: 'proof',
  command: [process.execPath, ...testFlags, '--test-isolation=none', 'test/{crash,simulation}/**/*.test.ts'],
}

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

const stepsOf: Readonly<Record<Extent, readonly Step[]>> = {
  quick: quickSteps,
  all: [...quickSteps, proof, journeys],
  full: [...quickSteps, proof, journeys, benchmark],
}

function run(extent: Extent): number {
  const began = performance.now()
  for (const { name, command } of stepsOf[extent]) {
    console.log(`\n== ${name}`)
    const [program = '', ...args] = command
    const env = { ...process.env, TEST_COUNTS: extent === 'full' ? 'full' : 'usual' }
    const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit', env })
    if (status !== 0) {
      console.error(`\n${name} failed`)
      return status ?? 1
    }
  }
  console.log(`\nAll checks passed in ${Math.round((performance.now() - began) / 1_000)} s`)
  return 0
}

const [extent] = process.argv.slice(2)
process.exitCode = extent === 'quick' || extent === 'all' || extent === 'full' ? run(extent) : 2
