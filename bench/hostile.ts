import { setTimeout as delay } from 'node:timers/promises'
import { noiseOf } from './charge-figures.ts'
import { hotMinor } from './charge-order.ts'
import { type ChargeSample, sampleGateway } from './charge-sample.ts'
import type { Cluster } from './cluster.ts'
import { type Bench, CheckFailed, type Report, type Scenario } from './scenario.ts'
import { openStage, type Stage } from './stage.ts'
import { warmUpOnce } from './warm-up.ts'

// Charges as they are on a bad day: checkpoints and vacuum while they run, cards that are declined, keys that
// are sent twice, and one consent that everybody wants and that has room for an exact number of charges.

const shares = { declines: 0.05, duplicates: 0.01, hot: 0.05 } as const

async function run(bench: Bench): Promise<Report> {
  const stage = await openStage(bench)
  await warmUpOnce(bench, stage)
  const { connections, hostileSeconds: seconds, hotRoom: room } = bench.extent.charges
  await makeRoom(stage, room)
  const sample = await whileHostile(stage.cluster, seconds, () => {
    const mix = { ...shares, hotConsent: stage.books.seeded.hotConsent }
    return sampleGateway({ ...stage, others: [stage.slow.processId] }, stage.prompt, {
      connections,
      seconds,
      mix,
    })
  })
  const tally = checkHot(sample, room)
  return {
    figures: [
      {
        what: `gateway, hostile, ${connections} connections`,
        value: `${sample.perSecond.toFixed(0)} /s`,
        notes:
          `p50 ${sample.p50Ms?.toFixed(1)} ms, p99 ${sample.p99Ms?.toFixed(1)} ms; ` +
          `${tally.approved} approved, ${tally.declined} declined, ${tally.repeated} keys repeated; ` +
          noiseOf([sample]),
      },
      {
        what: `hot consent with room for ${room}`,
        value: `${tally.hotApproved} approved`,
        notes: `${tally.hotRefused} refused as over its limit`,
      },
    ],
    verdicts: [],
    details: { sample, shares, room },
  }
}

// The hot consent has been charged by earlier runs, so its limit starts from what is used.
async function makeRoom({ cluster, books }: Pick<Stage, 'cluster' | 'books'>, room: number): Promise<void> {
  const { hotConsent, feeMinor } = books.seeded
  await cluster.withClient(books.name, (client) =>
    client.query(`update consent set limit_lifetime_minor = used_minor + $2 where consent_id = $1`, [
      hotConsent,
      room * (hotMinor + feeMinor),
    ]),
  )
}

async function whileHostile<T>(cluster: Cluster, seconds: number, work: () => Promise<T>): Promise<T> {
  const settings = { autovacuum: 'on', autovacuum_naptime: '1s', checkpoint_timeout: '30s' }
  return cluster.whileChanged(settings, async () => {
    // A checkpoint of its own, because a short run would end before the first that comes by itself.
    const [result] = await Promise.all([work(), checkpointAfter(cluster, (seconds * 1_000) / 3)])
    return result
  })
}

async function checkpointAfter(cluster: Cluster, ms: number): Promise<void> {
  await delay(ms)
  await cluster.checkpoint()
}

function checkHot({ tally }: ChargeSample, room: number) {
  if (!tally) throw new Error('Broken promise: the gateway was sampled')
  const asked = tally.hotApproved + tally.hotRefused
  if (tally.hotApproved === Math.min(asked, room)) return tally
  throw new CheckFailed(`hot consent: ${asked} asked, room for ${room}, ${tally.hotApproved} approved`)
}

export const hostileScenario: Scenario = {
  name: 'hostile',
  extents: ['smoke', 'quick', 'full'],
  quickSeconds: 15,
  run,
}
