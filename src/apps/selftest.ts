import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Complaint } from '#apps/complaint.ts'

const root = join(import.meta.dirname, '../..')

const suites = [
  { what: 'every crash point times every behaviour of the bank', files: 'test/crash/*.test.ts' },
  { what: 'random histories, replayable from their seeds', files: 'test/simulation/*.test.ts' },
  { what: 'real processes, killed while they charge', files: 'test/journeys/kill-while-charging.test.ts' },
] as const

const usage = 'tillgate selftest [--simulations N] [--processes N]'

// Proves on a throw-away database that no crash loses or doubles a charge. It runs the very tests that
// guard the code, with as many histories as asked for; nothing of this installation is touched.
export function selftest(args: readonly string[]): number {
  if (!existsSync(join(root, 'test'))) throw new Complaint('The selftest needs a checkout of the project.')
  const { simulations, processes } = readCounts(args)
  const env = { ...process.env, TEST_SIMULATIONS: simulations, TEST_PROCESSES: processes }
  for (const { what, files } of suites) {
    process.stdout.write(`\n== ${what}\n`)
    const flags = ['--test', '--test-isolation=none', '--test-global-setup=test/support/test-cluster.ts']
    const { status } = spawnSync(process.execPath, [...flags, files], { cwd: root, stdio: 'inherit', env })
    if (status !== 0) return 1
  }
  process.stdout.write('\nNothing was lost, and nothing was doubled.\n')
  return 0
}

function readCounts(args: readonly string[]): { readonly simulations: string; readonly processes: string } {
  try {
    const options = { simulations: { type: 'string' }, processes: { type: 'string' } } as const
    const { values } = parseArgs({ args: [...args], options })
    const counts = { simulations: values.simulations ?? '', processes: values.processes ?? '' }
    const isWhole = Object.values(counts).every((one) => /^\d{0,9}$/.test(one))
    if (isWhole) return counts
  } catch {
    // Told below, like a number that is none.
  }
  throw new Complaint(`Usage: ${usage}`)
}
