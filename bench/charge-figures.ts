import type { ChargeRound } from './charges.ts'
import type { ChargeSample } from './charge-sample.ts'
import { describeNoise } from './measure.ts'
import type { Figure, Report } from './scenario.ts'
import { acquirerDelayMs, type Stage } from './stage.ts'
import { median, spread } from './statistics.ts'

// The rounds of the charges scenario as people read them.

type Ratios = { readonly naive: number; readonly folded: number; readonly postgres: number }

export type Played = {
  readonly rounds: readonly ChargeRound[]
  readonly ratios: Ratios
  readonly stage: Pick<Stage, 'baseline' | 'walBytes'>
  readonly walBytes: number
  readonly connections: number
  readonly workers: { readonly prompt: number; readonly slow: number }
}

export function chargeFigures(played: Played): Omit<Report, 'details'> {
  const { rounds, ratios, stage, connections, workers } = played
  const { runner } = stage.baseline
  const own = (count: number, delayMs: number): string =>
    `gateway of ${count} worker${count === 1 ? '' : 's'}, ${connections} connections, acquirer in memory, ${delayMs} ms`
  const of = (pick: (round: ChargeRound) => ChargeSample) => rounds.map(pick)
  const clients = (pick: (round: ChargeRound) => number): string =>
    `c=${[...new Set(rounds.map(pick))].join(' or ')}`
  return {
    figures: [
      sampleFigure(
        `${runner} naive, ${clients((one) => one.naiveClients)}`,
        of((one) => one.naive),
      ),
      sampleFigure(
        `${runner} folded, ${clients((one) => one.foldedClients)}`,
        of((one) => one.folded),
      ),
      sampleFigure(
        own(workers.prompt, 0),
        of((one) => one.prompt),
      ),
      sampleFigure(
        own(workers.slow, acquirerDelayMs),
        of((one) => one.slow),
      ),
      ratioFigure(`charges ÷ ${runner} naive`, rounds, ({ prompt, naive }) => quotient(prompt, naive)),
      ratioFigure(`charges ÷ ${runner} folded`, rounds, ({ prompt, folded }) => quotient(prompt, folded)),
      ratioFigure(
        `PostgreSQL CPU of ${runner} naive ÷ of a charge`,
        rounds,
        ({ prompt, naive }) => naive.postgresUs / prompt.postgresUs,
      ),
      walFigure(played),
    ],
    verdicts: [
      verdict(`charges ÷ ${runner} naive`, ratios.naive, { least: 2, aim: 3.5 }),
      verdict(`charges ÷ ${runner} folded`, ratios.folded, { least: 1.2, aim: 2 }),
      verdict(`PostgreSQL CPU of ${runner} naive ÷ of a charge`, ratios.postgres, { least: 5, aim: 7 }),
    ],
    lastLines: (['naive', 'folded'] as const).map(
      (script) =>
        `charges ÷ ${runner} ${script}: ${ratios[script].toFixed(2)}` +
        (runner === 'driver' ? ' (proves nothing: not measured with pgbench)' : ''),
    ),
  }
}

function quotient(a: ChargeSample, b: ChargeSample): number {
  return a.perSecond / b.perSecond
}

export function sampleFigure(what: string, samples: readonly ChargeSample[]): Figure {
  const { least, most } = spread(samples.map(({ perSecond }) => perSecond))
  const middle = (pick: (sample: ChargeSample) => number | null, digits = 0): string =>
    median(samples.map((sample) => pick(sample) ?? NaN)).toFixed(digits)
  const latency =
    samples[0]?.p50Ms === null
      ? ''
      : `, p50 ${middle((one) => one.p50Ms, 1)} ms, p99 ${middle((one) => one.p99Ms, 1)} ms`
  const gateway = samples[0]?.gatewayUs === null ? '' : `gateway ${middle((one) => one.gatewayUs)} + `
  const load = samples.every(({ loadUs }) => loadUs === 0) ? '' : ` + load ${middle((one) => one.loadUs)}`
  return {
    what,
    value: `${middle(({ perSecond }) => perSecond)} /s`,
    notes:
      `${least.toFixed(0)} to ${most.toFixed(0)} /s${latency}; CPU µs ${gateway}PostgreSQL ` +
      `${middle((one) => one.postgresUs)}${load}; ${noiseOf(samples)}`,
  }
}

export function noiseOf(samples: readonly ChargeSample[]): string {
  const disturbed = samples.filter(({ isDisturbed }) => isDisturbed).length
  const rejected = samples.reduce((sum, one) => sum + one.rejected.length, 0)
  const turnedAway = samples.reduce((sum, one) => sum + (one.tally?.turnedAway ?? 0), 0)
  return (
    describeNoise(samples) +
    (disturbed > 0 ? `, ${disturbed} of ${samples.length} kept although disturbed` : '') +
    (rejected > 0 ? `, ${rejected} rejected` : '') +
    (turnedAway > 0 ? `; ${turnedAway} calls turned away` : '')
  )
}

function ratioFigure(
  what: string,
  rounds: readonly ChargeRound[],
  pick: (round: ChargeRound) => number,
): Figure {
  const all = rounds.map(pick)
  return {
    what,
    value: median(all).toFixed(2),
    notes: `rounds ${all.map((one) => one.toFixed(2)).join(', ')}`,
  }
}

const gigabytes = (bytes: number): string => (bytes / 1024 ** 3).toFixed(2)

// New segments of the log cost more than reused ones, for both sides.
function walFigure({ walBytes, stage }: Played): Figure {
  const isEnough = walBytes <= stage.walBytes
  return {
    what: 'WAL written, warm-up included',
    value: `${gigabytes(walBytes)} GB`,
    notes: `${gigabytes(stage.walBytes)} GB made beforehand${isEnough ? '' : ': not enough for all of it'}`,
  }
}

type Wanted = { readonly least: number; readonly aim: number }

function verdict(what: string, value: number, { least, aim }: Wanted) {
  return {
    passes: value >= least,
    sentence: `${what}: ${value.toFixed(2)} (at least ${least}, aim ${aim})`,
  }
}
