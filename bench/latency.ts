import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { chargeStoredCardContract } from '#capabilities/consents/charge-stored-card.contract.ts'
import { doneEnvelope } from '#capabilities/wire/envelope.ts'
import { noiseOf } from './charge-figures.ts'
import { type ChargeSample, sampleGateway } from './charge-sample.ts'
import { startChild } from './child.ts'
import { type Bench, CheckFailed, type Figure, type Report, type Scenario, type Verdict } from './scenario.ts'
import { acquirerDelayMs, openStage, type Stage } from './stage.ts'
import { median } from './statistics.ts'
import { warmUpOnce } from './warm-up.ts'

// What one caller waits for, against a charge that was folded by hand over the same HTTP server; and what the
// gateway adds to an acquirer that takes its time.

const aloneMaxMs = 0.5
const added = { connections: 64, p50MaxMs: 5, p99MaxMs: 25 } as const

type Alone = { readonly byHand: number; readonly gateway: ChargeSample }

async function run(bench: Bench): Promise<Report> {
  const stage = await openStage(bench)
  const byHandPort = await startByHand(bench, stage)
  const { latencySamples, latencySeconds: seconds } = bench.extent.charges
  const alone: Alone[] = []
  const delayed: ChargeSample[] = []
  // Both sides run hot first: one caller alone would not bring V8 to compile anything in that time.
  await warmUpOnce(bench, stage)
  await stage.load.send({ port: byHandPort, connections: 16, seconds })
  for (let at = 0; at < latencySamples; at++) {
    await bench.waitForQuiet()
    const {
      p50Ms: byHand,
      wrong,
      example,
    } = await stage.load.send({
      port: byHandPort,
      connections: 1,
      seconds,
    })
    if (wrong > 0) throw new CheckFailed(`the charge folded by hand: ${example}`)
    const { prompt, slow } = stage
    const gateway = await sampleGateway({ ...stage, others: [slow.processId] }, prompt, {
      connections: 1,
      seconds,
    })
    alone.push({ byHand, gateway })
    await bench.waitForQuiet()
    delayed.push(
      await sampleGateway({ ...stage, others: [prompt.processId] }, slow, {
        connections: added.connections,
        seconds,
      }),
    )
  }
  const [first, second] = [aloneOutcome(alone), delayedOutcome(delayed)]
  return {
    figures: [...first.figures, ...second.figures],
    verdicts: [...first.verdicts, ...second.verdicts],
    details: { alone, delayed },
  }
}

const Started = Type.Object({ baseUrl: Type.String() })
const startPatienceMs = 30_000

async function startByHand(bench: Bench, { cluster, books }: Stage): Promise<number> {
  const child = startChild(import.meta.resolve('./folded-fastify.ts'))
  bench.keep(() => child.stop())
  const { prefix, path, resultKey, example } = chargeStoredCardContract
  const answer = { [resultKey]: { ...doneEnvelope(example.message), ...example.result } }
  const { host, user } = cluster.connectionTo('baseline')
  const { sessionKeys } = books.seeded
  const order = { host, user, database: 'baseline', path: `${prefix}${path}`, sessionKeys, answer }
  const { baseUrl } = Parse(Started, await child.ask(order, startPatienceMs))
  return Number(new URL(baseUrl).port)
}

type Outcome = { readonly figures: readonly Figure[]; readonly verdicts: readonly Verdict[] }

function aloneOutcome(alone: readonly Alone[]): Outcome {
  const byHandMs = median(alone.map(({ byHand }) => byHand))
  const gatewayMs = median(alone.map(({ gateway }) => gateway.p50Ms ?? NaN))
  const aboveMs = median(alone.map(({ byHand, gateway }) => (gateway.p50Ms ?? NaN) - byHand))
  const noise = noiseOf(alone.map(({ gateway }) => gateway))
  return {
    figures: [
      {
        what: 'gateway, 1 connection, 0 ms',
        value: `p50 ${gatewayMs.toFixed(2)} ms`,
        notes: `folded by hand p50 ${byHandMs.toFixed(2)} ms, median of ${alone.length}; ${noise}`,
      },
    ],
    verdicts: [
      {
        passes: aboveMs <= aloneMaxMs,
        sentence:
          `p50 with one connection above a charge folded by hand: ` +
          `${aboveMs.toFixed(2)} ms (limit ${aloneMaxMs} ms)`,
      },
    ],
  }
}

function delayedOutcome(delayed: readonly ChargeSample[]): Outcome {
  const p50Ms = median(delayed.map((one) => one.p50Ms ?? NaN)) - acquirerDelayMs
  const p99Ms = median(delayed.map((one) => one.p99Ms ?? NaN)) - acquirerDelayMs
  const what = `added to ${acquirerDelayMs} ms, ${added.connections} connections`
  return {
    figures: [
      {
        what,
        value: `p50 ${p50Ms.toFixed(1)} ms`,
        notes: `p99 ${p99Ms.toFixed(1)} ms, median of ${delayed.length}; ${noiseOf(delayed)}`,
      },
    ],
    verdicts: [
      {
        passes: p50Ms <= added.p50MaxMs && p99Ms <= added.p99MaxMs,
        sentence:
          `${what}: p50 ${p50Ms.toFixed(1)} ms (limit ${added.p50MaxMs}), ` +
          `p99 ${p99Ms.toFixed(1)} ms (limit ${added.p99MaxMs})`,
      },
    ],
  }
}

export const latencyScenario: Scenario = {
  name: 'latency',
  extents: ['smoke', 'quick', 'full'],
  quickSeconds: 20,
  run,
}
