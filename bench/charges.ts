import { type ChargeSample, sampleBaseline, sampleGateway, takeQuietest } from './charge-sample.ts'
import { chargeFigures } from './charge-figures.ts'
import type { Noise } from './processor-time.ts'
import type { Bench, Report, Scenario } from './scenario.ts'
import { acquirerDelayMs, openStage, type Stage, workersFor } from './stage.ts'
import { median } from './statistics.ts'
import { warmUpOnce } from './warm-up.ts'

// ConsentAnnual/ChargeStoredCard with everything that the product does for it, against the frozen scripts in
// the same round.

export type ChargeRound = {
  readonly naive: ChargeSample
  readonly naiveClients: number
  readonly folded: ChargeSample
  readonly foldedClients: number
  readonly prompt: ChargeSample
  readonly slow: ChargeSample
}

// The first round finds out how many clients of pgbench are the fastest, and the others go on with so many.
const clientCounts = [8, 16] as const
// No part of the ratio, so it need not be as long.
const slowSeconds = 3

async function run(bench: Bench): Promise<Report> {
  const stage = await openStage(bench)
  const walBefore = await stage.cluster.walPosition()
  await warmUpOnce(bench, stage)
  const rounds: ChargeRound[] = []
  let lastRoundSeconds = 0
  for (let at = 0; at < bench.extent.charges.rounds; at++) {
    if (rounds.length > 0 && bench.secondsLeft() < 1.5 * lastRoundSeconds) {
      bench.say(`round ${at + 1} is left out: no time is left for it`)
      break
    }
    bench.reserve((bench.extent.charges.rounds - at) * secondsOfRound(bench, at))
    const beganAt = performance.now()
    const round = await playRound(bench, stage, rounds[0] ?? null)
    lastRoundSeconds = (performance.now() - beganAt) / 1_000
    rounds.push(round)
    bench.say(`round ${at + 1}: ${describe(round)}`)
  }
  bench.reserve(0)
  const walBytes = (await stage.cluster.walPosition()) - walBefore
  const ratios = {
    naive: median(rounds.map(({ prompt, naive }) => prompt.perSecond / naive.perSecond)),
    folded: median(rounds.map(({ prompt, folded }) => prompt.perSecond / folded.perSecond)),
    postgres: median(rounds.map(({ prompt, naive }) => naive.postgresUs / prompt.postgresUs)),
  }
  return {
    ...chargeFigures({
      rounds,
      ratios,
      stage,
      walBytes,
      connections: bench.extent.charges.connections,
      workers: { prompt: workersFor(bench), slow: bench.workers ?? 1 },
    }),
    details: { runner: stage.baseline.runner, settings: stage.cluster.settings, ratios, rounds, walBytes },
  }
}

// Without waiting and repeating, with the checks in between.
function secondsOfRound({ extent }: Bench, at: number): number {
  const { sampleSeconds } = extent.charges
  return (
    (2 * (at === 0 ? clientCounts.length : 1) + 1) * sampleSeconds + Math.min(sampleSeconds, slowSeconds) + 5
  )
}

async function playRound(bench: Bench, stage: Stage, first: ChargeRound | null): Promise<ChargeRound> {
  const { connections, sampleSeconds: seconds } = bench.extent.charges
  const { prompt, slow } = stage
  const idle = [prompt.processId, slow.processId]
  const script = async (name: 'naive' | 'folded', fastest: number | undefined) => {
    const taken: [number, ChargeSample][] = []
    for (const clients of fastest === undefined ? clientCounts : [fastest]) {
      const take = () => sampleBaseline({ ...stage, others: idle }, { script: name, clients, seconds })
      taken.push([clients, await takeQuietest(bench, seconds, take)])
    }
    const [best] = taken.toSorted(([, a], [, b]) => b.perSecond - a.perSecond)
    if (!best) throw new Error('Broken promise: a script was run')
    return best
  }
  const charge = (gateway: Stage['prompt'], other: Stage['prompt'], forSeconds: number) =>
    takeQuietest(bench, forSeconds, () =>
      sampleGateway({ ...stage, others: [other.processId] }, gateway, { connections, seconds: forSeconds }),
    )
  const [naiveClients, naive] = await script('naive', first?.naiveClients)
  const [foldedClients, folded] = await script('folded', first?.foldedClients)
  return {
    naive,
    naiveClients,
    folded,
    foldedClients,
    prompt: await charge(prompt, slow, seconds),
    slow: await charge(slow, prompt, Math.min(seconds, slowSeconds)),
  }
}

const rate = ({ perSecond }: ChargeSample): string => `${perSecond.toFixed(0)}/s`

function describe({ naive, folded, prompt, slow }: ChargeRound): string {
  const percents = (pick: (noise: Noise) => number): string =>
    [naive, folded, prompt, slow].map(({ noise }) => (pick(noise) * 100).toFixed(0)).join(', ')
  return (
    `naive ${rate(naive)}, folded ${rate(folded)}, gateway ${rate(prompt)}, with ${acquirerDelayMs} ms ` +
    `${rate(slow)}; ÷ naive ${(prompt.perSecond / naive.perSecond).toFixed(2)}, ` +
    `÷ folded ${(prompt.perSecond / folded.perSecond).toFixed(2)}; ` +
    `foreign CPU ${percents(({ foreign }) => foreign)} %, stolen ${percents(({ stolen }) => stolen)} %`
  )
}

export const chargesScenario: Scenario = { name: 'charges', extents: ['smoke', 'quick', 'full'], run }
