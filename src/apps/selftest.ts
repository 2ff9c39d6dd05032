import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Complaint } from '#apps/complaint.ts'

const root = join(import.meta.dirname, '../..')

type Suite = {
  readonly what: string
  readonly files: string
  // How many histories it plays; 0 leaves it out.
  readonly counted?: { readonly option: string; readonly setting: string }
}

const suites: readonly Suite[] = [
  { what: 'every crash point times every behaviour of the bank', files: 'test/crash/*.test.ts' },
  {
    what: 'random histories, replayable from their seeds',
    files: 'test/simulation/*.test.ts',
    counted: { option: 'simulations', setting: 'TEST_SIMULATIONS' },
  },
  {
    what: 'real processes, killed while they charge',
    files: 'test/journeys/kill-while-charging.test.ts',
    counted: { option: 'processes', setting: 'TEST_PROCESSES' },
  },
  {
    what: 'a gateway under full load, killed again and again',
    files: 'test/journeys/kill-under-load.test.ts',
    counted: { option: 'kills', setting: 'TEST_KILLS' },
  },
]

export const usage = 'tillgate selftest [--simulations N] [--processes N] [--kills N]'

// Proves on a throw-away database that no crash loses or doubles a charge. It runs the very tests that
// guard the code, with as many histories as asked for; nothing of this installation is touched.
export function selftest(args: readonly string[]): number {
  if (!existsSync(join(root, 'test'))) throw new Complaint('The selftest needs a checkout of the project.')
  const counts = readCounts(args)
  for (const { what, files, counted } of suites) {
    const wanted = counted ? (counts[counted.option] ?? '') : ''
    if (/^0+$/.test(wanted)) continue
    const env = { ...process.env, ...(counted ? { [counted.setting]: wanted } : {}) }
    process.stdout.write(`\n== ${what}\n`)
    const flags = ['--test', '--test-isolation=none', '--test-global-setup=test/support/test-cluster.ts']
    const { status } = spawnSync(process.execPath, [...flags, files], { cwd: root, stdio: 'inherit', env })
    if (status !== 0) return 1
  }
  process.stdout.write('\nNothing was lost, and nothing was doubled.\n')
  return 0
}

function readCounts(args: readonly string[]): Readonly<Record<string, string>> {
  try {
    const options = {
      simulations: { type: 'string', default: '' },
      processes: { type: 'string', default: '' },
      kills: { type: 'string', default: '' },
    } as const
    const { values } = parseArgs({ args: [...args], options })
    if (Object.values(values).every((one) => /^\d{0,9}$/.test(one))) return values
  } catch {
    // Told below, like a number that is none.
  }
  throw new Complaint(`Usage: ${usage}`)
}
