import { setTimeout as delay } from 'node:timers/promises'
import {
  buriedMs,
  familyMs,
  hasProcessorTime,
  machineTime,
  type Noise,
  noiseBetween,
  processMs,
} from './processor-time.ts'
import { type Bench, CheckFailed } from './scenario.ts'
import { median } from './statistics.ts'

// Rounds, not series: the speed of a machine wanders from minute to minute, the ratio within a round less.

// A server under load, and what one request to it looks like.
export type Target = {
  readonly name: string
  readonly url: string
  readonly body: string
  readonly mark: string
  readonly processId: number
  // null for a server without a database.
  readonly postmasterId: number | null
  // The rows that right answers leave in the database, one each; null when they leave none.
  readonly countRows: (() => Promise<number>) | null
  // Before each round, outside of what is measured.
  readonly settle: () => Promise<void>
}

export type CpuPerRequest = {
  readonly serverUs: number
  readonly postgresUs: number
  readonly loadUs: number
}

export type Sample = {
  readonly answers: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  // null where the system does not tell.
  readonly cpu: CpuPerRequest | null
  readonly noise: Noise
  readonly isDisturbed: boolean
  // Those that were taken as well and thrown away.
  readonly rejected: readonly Sample[]
}

export type Round = { readonly yardstick: Sample; readonly subject: Sample; readonly ratio: number }
export type Comparison = { readonly rounds: readonly Round[]; readonly ratio: number }

const foreignMax = 0.08
const quietForeignMax = 0.06
const quietProbeMs = 300
const amountMax = 500_000

export async function compareInRounds(
  bench: Bench,
  { yardstick, subject }: { yardstick: Target; subject: Target },
): Promise<Comparison> {
  const amounts = new Map<Target, number>()
  for (const target of [yardstick, subject]) amounts.set(target, await warmUp(bench, target))
  const rounds: Round[] = []
  for (let at = 0; at < bench.extent.rounds; at++) {
    await subject.settle()
    const samples = new Map<Target, Sample>()
    // Each goes first in every other round, so that a machine that slows down favours neither.
    for (const target of at % 2 === 0 ? [yardstick, subject] : [subject, yardstick]) {
      samples.set(target, await takeSample(bench, target, amounts.get(target) ?? 0))
    }
    rounds.push(roundOf(samples.get(yardstick), samples.get(subject)))
    bench.say(`round ${at + 1} of ${bench.extent.rounds}: ratio ${rounds.at(-1)?.ratio.toFixed(3)}`)
  }
  return { rounds, ratio: median(rounds.map(({ ratio }) => ratio)) }
}

function roundOf(yardstick: Sample | undefined, subject: Sample | undefined): Round {
  if (!yardstick || !subject) throw new Error('Broken promise: a round has both samples')
  return { yardstick, subject, ratio: subject.perSecond / yardstick.perSecond }
}

// Answers how many requests fill a sample. A sample is a number of requests and not a time, because at the
// end of a time some requests would be done in the database and not yet answered.
async function warmUp({ load, extent }: Bench, { url, body, mark }: Target): Promise<number> {
  let amount = 1_000
  for (const giveUpAt = performance.now() + extent.warmUpSeconds * 5_000; ;) {
    const { seconds, answers } = await load.flood({ url, body, mark, amount })
    const perSecond = answers / seconds
    if (seconds >= extent.warmUpSeconds * 0.5 || performance.now() > giveUpAt) {
      return Math.min(amountMax, Math.ceil(perSecond * extent.sampleSeconds))
    }
    amount = Math.min(amountMax, Math.ceil(perSecond * extent.warmUpSeconds))
  }
}

async function takeSample(bench: Bench, target: Target, amount: number): Promise<Sample> {
  const taken: Sample[] = []
  do {
    await bench.waitForQuiet()
    taken.push(await sampleOnce(bench, target, amount))
  } while (
    taken.at(-1)?.isDisturbed &&
    taken.length < bench.extent.triesMax &&
    bench.mayRepeat(bench.extent.sampleSeconds)
  )
  const [kept, ...rejected] = taken.toSorted(byNoise)
  if (!kept) throw new Error('Broken promise: at least one sample was taken')
  return { ...kept, rejected }
}

async function sampleOnce({ load }: Bench, target: Target, amount: number): Promise<Sample> {
  const { url, body, mark } = target
  const rowsBefore = await target.countRows?.()
  const {
    result: flooded,
    before,
    after,
    noise,
  } = await watch({ ...target, loadId: load.begin() }, () => load.flood({ url, body, mark, amount }))
  const rows = target.countRows ? (await target.countRows()) - (rowsBefore ?? 0) : null
  checkTruth(target, { ...flooded, rows })
  const { answers, seconds, p50Ms, p99Ms } = flooded
  const us = (name: 'serverMs' | 'postgresMs' | 'loadMs') => ((after[name] - before[name]) * 1_000) / answers
  return {
    answers,
    perSecond: answers / seconds,
    p50Ms,
    p99Ms,
    cpu: hasProcessorTime
      ? { serverUs: us('serverMs'), postgresUs: us('postgresMs'), loadUs: us('loadMs') }
      : null,
    noise,
    isDisturbed: isDisturbing(noise),
    rejected: [],
  }
}

type Counted = { answers: number; marked: number; errors: number; rows: number | null }

function checkTruth({ name }: Target, { answers, marked, errors, rows }: Counted): void {
  if (marked === answers && errors === 0 && (rows === null || rows === marked)) return
  const found = rows === null ? '' : `, ${rows} rows in the database`
  throw new CheckFailed(
    `${name}: ${answers} answers, ${marked} of them right${found}, ${errors} errors of the connection`,
  )
}

type Noisy = { readonly noise: Noise }

// By other programs, which may be done soon. A host that steals does so from the next sample as well.
export function isDisturbing({ foreign }: Noise): boolean {
  return foreign > foreignMax
}

// The least disturbed first.
export function byNoise({ noise: one }: Noisy, { noise: other }: Noisy): number {
  return one.foreign - other.foreign
}

export function describeNoise(samples: readonly Noisy[]): string {
  const middle = (pick: (noise: Noise) => number): string =>
    (median(samples.map(({ noise }) => pick(noise))) * 100).toFixed(1)
  return `foreign CPU ${middle(({ foreign }) => foreign)} %, stolen ${middle(({ stolen }) => stolen)} %`
}

type Own = {
  readonly processId: number
  readonly postmasterId: number | null
  readonly loadId: number
  // Whatever else of ours is running.
  readonly others?: readonly number[]
}

// Does the work and tells what the processors did meanwhile, for us and for others.
export async function watch<T>(own: Own, work: () => Promise<T>) {
  const before = clocksOf(own)
  const result = await work()
  const after = clocksOf(own)
  const noise = noiseBetween(before.machine, after.machine, after.ownMs - before.ownMs)
  return { result, before, after, noise }
}

function clocksOf({ processId, postmasterId, loadId, others = [] }: Own) {
  const server = processMs(processId)
  const postgres = postmasterId === null ? 0 : familyMs(postmasterId)
  const load = processMs(loadId)
  const rest = others.reduce((sum, one) => sum + familyMs(one), 0)
  const ownMs = server + postgres + load + rest + processMs(process.pid) + buriedMs(process.pid)
  return { serverMs: server, postgresMs: postgres, loadMs: load, ownMs, machine: machineTime() }
}

type Patience = { readonly waitMsMax: number; readonly inAllMs: number }

// Waits until other programs leave the machine alone, but not for ever: a disturbed sample is marked as such.
export function quietWaiter({ waitMsMax, inAllMs }: Patience): () => Promise<void> {
  let leftMs = inAllMs
  return async () => {
    const beganAt = performance.now()
    await waitForQuiet(Math.min(waitMsMax, leftMs))
    leftMs = Math.max(0, leftMs - (performance.now() - beganAt))
  }
}

async function waitForQuiet(waitMsMax: number): Promise<void> {
  if (!hasProcessorTime) return
  const giveUpAt = performance.now() + waitMsMax
  while (performance.now() < giveUpAt) {
    const before = machineTime()
    await delay(quietProbeMs)
    if (noiseBetween(before, machineTime(), 0).foreign < quietForeignMax) return
  }
}
