import { type Home, makeHome } from './gateway.ts'
import type { Bench, Report, Scenario, Verdict } from './scenario.ts'
import { median, spread } from './statistics.ts'

const coldMaxMs = 3_000
const warmMaxMs = 1_500

// How long an operator waits: from starting the process to the first answer of /live. Cold is the first start
// in an empty folder, with initdb and the whole schema; warm is every later one. The folders stay until all
// is measured: ext4 is half as long again at making files while thousands of others were just removed.
async function run(bench: Bench): Promise<Report> {
  const cold: number[] = []
  const warm: number[] = []
  const homes: Home[] = []
  for (let at = 0; at < bench.extent.starts; at++) {
    const home = makeHome(bench, { compilesAnew: true })
    homes.push(home)
    for (const times of [cold, warm]) {
      const gateway = await home.start()
      times.push(gateway.startMs)
      await gateway.stop()
    }
  }
  for (const home of homes) await home.remove()
  return {
    figures: [figureOf('cold start', cold), figureOf('warm start', warm)],
    verdicts: [verdictOf('cold start', cold, coldMaxMs), verdictOf('warm start', warm, warmMaxMs)],
    details: { coldMs: cold, warmMs: warm },
  }
}

function verdictOf(what: string, ms: readonly number[], maxMs: number): Verdict {
  const taken = median(ms)
  return { passes: taken <= maxMs, sentence: `${what}: ${taken.toFixed(0)} ms (limit ${maxMs} ms)` }
}

function figureOf(what: string, ms: readonly number[]) {
  const { least, most } = spread(ms)
  return {
    what,
    value: `${median(ms).toFixed(0)} ms`,
    notes: `${ms.length} starts, ${least.toFixed(0)} to ${most.toFixed(0)} ms`,
  }
}

export const startUpScenario: Scenario = { name: 'start-up', extents: ['smoke', 'quick', 'full'], run }
