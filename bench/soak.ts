import type { Gateway } from './gateway.ts'
import { describeNoise, watch } from './measure.ts'
import { checkMoney } from './money-check.ts'
import { familyMs, familyResidentBytes, type Noise } from './processor-time.ts'
import { type Bench, CheckFailed, type Report, type Scenario } from './scenario.ts'
import { openStage, type Stage } from './stage.ts'
import { median, slope } from './statistics.ts'

// Ten minutes at 80 % of what the gateway can do: whether its memory grows, and whether it slows down.

const loadShare = 0.8
const windowSeconds = 30
const windows = 20
const probeSeconds = 10
const memoryEveryMs = 5_000
const settledAfterMinutes = 2
const slopeMax = 1
// Ten minutes make more rows than the memory of the database holds, and no installation runs so long without.
// Once a minute, so that every part of the run has a checkpoint.
const upkeep = { autovacuum: 'on', checkpoint_timeout: '1min' }
const slowdownMax = 0.2

type Window = {
  readonly fromMinute: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  // Where both become dearer it is the machine that is slower.
  readonly gatewayUs: number
  readonly postgresUs: number
  readonly noise: Noise
}
type Memory = { readonly minute: number; readonly megabytes: number }

async function run(bench: Bench): Promise<Report> {
  const stage = await openStage(bench)
  const { perSecond, latencies, memory } = await stage.cluster.whileChanged(upkeep, async () => {
    const rate = (await measureMost(bench, stage)) * loadShare
    bench.say(`${rate.toFixed(0)} charges a second for ${(windows * windowSeconds) / 60} minutes`)
    return { perSecond: rate, ...(await play(bench, stage, rate)) }
  })
  await checkMoney(stage.books.db, stage.books.told, 'after the soak')
  const settled = memory.filter(({ minute }) => minute >= settledAfterMinutes)
  const growth = slope(settled.map(({ minute, megabytes }) => [minute, megabytes]))
  const early = p50Between(latencies, 2, 4)
  const late = p50Between(latencies, (windows * windowSeconds) / 60 - 2, Infinity)
  const last = memory.at(-1)?.megabytes ?? NaN
  return {
    figures: [
      {
        what: 'memory, slope',
        value: `${growth.toFixed(2)} MB a minute`,
        notes: `${last.toFixed(0)} MB last`,
      },
      {
        what: 'p50, last two minutes',
        value: `${late.toFixed(1)} ms`,
        notes: `third and fourth minute ${early.toFixed(1)} ms`,
      },
      {
        what: 'charges a second, median of the half minutes',
        value: median(latencies.map((one) => one.perSecond)).toFixed(0),
        notes: `asked for ${perSecond.toFixed(0)}; calls wait to be sent where no connection is free`,
      },
    ],
    verdicts: [
      {
        passes: growth < slopeMax,
        sentence: `memory after two minutes: ${growth.toFixed(2)} MB a minute (limit ${slopeMax})`,
      },
      {
        passes: late <= early * (1 + slowdownMax),
        sentence:
          `latency of the last two minutes: ${((late / early - 1) * 100).toFixed(0)} % above the third ` +
          `and fourth (limit ${slowdownMax * 100} %)`,
      },
    ],
    details: { perSecond, latencies, memory },
  }
}

async function measureMost({ extent }: Bench, { load, prompt, books }: Stage): Promise<number> {
  const { connections } = extent.charges
  let most = 0
  // The first only warms up.
  for (const seconds of [probeSeconds, probeSeconds]) {
    const tally = await load.send({ port: prompt.port, connections, seconds })
    books.told.add(tally)
    most = tally.answersInTime / seconds
  }
  return most
}

async function play(bench: Bench, { cluster, load, prompt, books, slow }: Stage, perSecond: number) {
  const { connections } = bench.extent.charges
  const { postmasterId } = cluster
  const own = { processId: 0, postmasterId, loadId: load.processId, others: [prompt, slow].map(idOf) }
  const beganAt = performance.now()
  const minutes = (): number => (performance.now() - beganAt) / 60_000
  const latencies: Window[] = []
  const memory: Memory[] = []
  const watching = setInterval(() => {
    memory.push({ minute: minutes(), megabytes: familyResidentBytes(prompt.processId) / 1024 ** 2 })
  }, memoryEveryMs)
  try {
    for (let at = 0; at < windows; at++) {
      const fromMinute = minutes()
      const wish = { port: prompt.port, connections, seconds: windowSeconds, perSecond }
      const gatewayBefore = familyMs(prompt.processId)
      const { result: tally, before, after, noise } = await watch(own, () => load.send(wish))
      const gatewayMs = familyMs(prompt.processId) - gatewayBefore
      books.told.add(tally)
      if (tally.wrong > 0) throw new CheckFailed(`${tally.wrong} wrong answers, such as ${tally.example}`)
      const { p50Ms, p99Ms } = tally
      const reached = tally.answersInTime / windowSeconds
      const us = (ms: number): number => (ms * 1_000) / tally.approved
      const [gatewayUs, postgresUs] = [us(gatewayMs), us(after.postgresMs - before.postgresMs)]
      latencies.push({ fromMinute, perSecond: reached, p50Ms, p99Ms, gatewayUs, postgresUs, noise })
      bench.say(
        `minute ${minutes().toFixed(1)}: ${reached.toFixed(0)} a second, p50 ${p50Ms.toFixed(1)} ms, ` +
          `${memory.at(-1)?.megabytes.toFixed(0)} MB; CPU µs gateway ${gatewayUs.toFixed(0)} + ` +
          `PostgreSQL ${postgresUs.toFixed(0)}; ${describeNoise([{ noise }])}`,
      )
    }
  } finally {
    clearInterval(watching)
  }
  return { latencies, memory }
}

function idOf({ processId }: Gateway): number {
  return processId
}

function p50Between(latencies: readonly Window[], from: number, to: number): number {
  // A window begins a moment after its half minute.
  const within = latencies.filter(({ fromMinute }) => fromMinute >= from - 0.1 && fromMinute < to - 0.1)
  return median(within.map(({ p50Ms }) => p50Ms))
}

export const soakScenario: Scenario = { name: 'soak', extents: ['soak'], run }
