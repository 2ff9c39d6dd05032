import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { argumentProblem } from '#apps/cli/argument-problem.ts'
import { extents } from './extents.ts'
import type { Extent, Scenario } from './scenario.ts'
import { scenarios } from './scenarios.ts'

const usage = `npm run bench -- [options]

  --quick          within three minutes
  --smoke          about a minute: shows that everything runs; its figures mean nothing
  --soak           only the ten minutes at 80 % load, on the data of a quick run
  --only a,b       only these scenarios: ${scenarios.map(({ name }) => name).join(', ')}
  --connections n  for the charges; 256 when not given
  --rounds n       of the charges
  --workers n      of each gateway; when not given, the one that is driven to its limit has two where there
                   are two cores, and all others have one
  --driver         runs the frozen scripts with the driver even where there is a pgbench
  --json path      where the results go; .cache/bench.json when not given

docs/performance.md explains what is measured.`

const wayOut = 'npm run bench -- --help lists the options.'

export type Options = {
  readonly extent: Extent
  readonly chosen: readonly Scenario[]
  // null: what suits the scenario.
  readonly workers: number | null
  readonly usesDriver: boolean
  readonly resultsFile: string
}

// In place of a measurement.
export type Told = { readonly text: string; readonly status: 0 | 2 }

const flags = {
  help: { type: 'boolean' },
  quick: { type: 'boolean' },
  smoke: { type: 'boolean' },
  soak: { type: 'boolean' },
  driver: { type: 'boolean' },
  only: { type: 'string' },
  connections: { type: 'string' },
  rounds: { type: 'string' },
  workers: { type: 'string' },
  json: { type: 'string' },
} as const

export function readOptions(args: readonly string[]): Options | Told {
  const values = readValues([...args])
  if (typeof values === 'string') return wrong(values)
  if (values.help) return { text: usage, status: 0 }
  const chosen = choose(values)
  if (typeof chosen === 'string') return wrong(chosen)
  const usual = values.smoke ? extents.smoke : values.quick || values.soak ? extents.quick : extents.full
  const [connections, rounds, workers] = [values.connections, values.rounds, values.workers].map(countFrom)
  if ([connections, rounds, workers].includes(null))
    return wrong('Connections, rounds and workers are whole numbers above 0.')
  return {
    extent: {
      ...usual,
      // A soak takes as long as it takes.
      minutesMax: values.soak ? 20 : usual.minutesMax,
      charges: {
        ...usual.charges,
        connections: connections ?? usual.charges.connections,
        rounds: rounds ?? usual.charges.rounds,
      },
    },
    chosen,
    workers: workers ?? null,
    usesDriver: values.driver ?? false,
    resultsFile: resolve(values.json ?? join(import.meta.dirname, '..', '.cache', 'bench.json')),
  }
}

// Or what is wrong with them.
function readValues(args: string[]) {
  try {
    return parseArgs({ args, options: flags }).values
  } catch (error) {
    return argumentProblem(error, { args, options: flags })
  }
}

function wrong(problem: string): Told {
  return { text: `${problem}\n${wayOut}`, status: 2 }
}

// undefined: not given; null: no count.
function countFrom(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined
  return /^[1-9]\d{0,4}$/.test(text) ? Number(text) : null
}

type Choice = {
  readonly quick?: boolean
  readonly smoke?: boolean
  readonly soak?: boolean
  readonly only?: string
}

// Or what is wrong with the wish.
function choose({ quick, smoke, soak, only }: Choice): readonly Scenario[] | string {
  const extent = soak ? 'soak' : smoke ? 'smoke' : quick ? 'quick' : 'full'
  const names = only?.split(',')
  const unknown = names?.filter((name) => !scenarios.some((one) => one.name === name)) ?? []
  if (unknown.length > 0) {
    const known = scenarios.map(({ name }) => name).join(', ')
    return `There is no scenario ${unknown.join(', ')}: ${known}.`
  }
  return scenarios.filter(({ name, extents: of }) => names?.includes(name) ?? of.includes(extent))
}
