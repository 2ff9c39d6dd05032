import type { Baseline } from './baseline.ts'
import type { ChargeWish } from './charge-generator.ts'
import type { ChargeTally } from './charge-order.ts'
import type { Gateway } from './gateway.ts'
import { byNoise, isDisturbing, watch } from './measure.ts'
import { checkMoney } from './money-check.ts'
import { familyMs, type Noise } from './processor-time.ts'
import { type Bench, CheckFailed } from './scenario.ts'
import type { Stage } from './stage.ts'

// One sample of charges: a rate, what it cost, and how much others disturbed it.
export type ChargeSample = {
  readonly charges: number
  readonly perSecond: number
  // null where the system does not tell, and where there is no such process.
  readonly gatewayUs: number | null
  readonly postgresUs: number
  readonly loadUs: number
  readonly p50Ms: number | null
  readonly p99Ms: number | null
  readonly noise: Noise
  readonly isDisturbed: boolean
  // Those that were taken as well and thrown away.
  readonly rejected: readonly ChargeSample[]
  // What the gateway's clients were told.
  readonly tally: ChargeTally | null
}

type Playing = Pick<Stage, 'cluster' | 'load' | 'books'> & { readonly others: readonly number[] }

// The gateway under load. Clients' answers and the database must agree afterwards.
export async function sampleGateway(
  { cluster, load, books, others }: Playing,
  gateway: Gateway,
  wish: Omit<ChargeWish, 'port'>,
): Promise<ChargeSample> {
  const gatewayBefore = familyMs(gateway.processId)
  const { result, before, after, noise } = await watch(
    // The gateway is counted with its workers, hence among the others.
    {
      processId: 0,
      postmasterId: cluster.postmasterId,
      loadId: load.processId,
      others: [gateway.processId, ...others],
    },
    () => load.send({ port: gateway.port, ...wish }),
  )
  const gatewayMs = familyMs(gateway.processId) - gatewayBefore
  books.told.add(result)
  if (result.wrong > 0) throw new CheckFailed(`${result.wrong} wrong answers, such as ${result.example}`)
  await checkMoney(books.db, books.told, `after ${books.told.approved} charges`)
  // The processors worked for those as well that were answered after the end.
  const charges = result.approved + result.declined + result.hotRefused + result.repeated
  if (charges === 0) throw new CheckFailed(`no charge was answered, ${result.turnedAway} were turned away`)
  return {
    charges,
    perSecond: result.answersInTime / wish.seconds,
    gatewayUs: (gatewayMs * 1_000) / charges,
    postgresUs: ((after.postgresMs - before.postgresMs) * 1_000) / charges,
    loadUs: ((after.loadMs - before.loadMs) * 1_000) / charges,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    noise,
    isDisturbed: isDisturbing(noise),
    rejected: [],
    tally: result,
  }
}

type Scripted = { readonly script: 'naive' | 'folded'; readonly clients: number; readonly seconds: number }

export async function sampleBaseline(
  { cluster, others, baseline }: Pick<Playing, 'cluster' | 'others'> & { readonly baseline: Baseline },
  { script, clients, seconds }: Scripted,
): Promise<ChargeSample> {
  const { result, before, after, noise } = await watch(
    { processId: 0, postmasterId: cluster.postmasterId, loadId: baseline.runnerId ?? 0, others },
    () => baseline.run(script, { clients, seconds }),
  )
  return {
    charges: result.transactions,
    perSecond: result.perSecond,
    gatewayUs: null,
    postgresUs: ((after.postgresMs - before.postgresMs) * 1_000) / result.transactions,
    loadUs: ((after.loadMs - before.loadMs) * 1_000) / result.transactions,
    p50Ms: null,
    p99Ms: null,
    noise,
    isDisturbed: isDisturbing(noise),
    rejected: [],
    tally: null,
  }
}

// Waits for quiet, repeats a disturbed sample, keeps the least disturbed one and remembers the rejected.
export async function takeQuietest(
  bench: Bench,
  seconds: number,
  take: () => Promise<ChargeSample>,
): Promise<ChargeSample> {
  const taken: ChargeSample[] = []
  do {
    await bench.waitForQuiet()
    taken.push(await take())
  } while (taken.at(-1)?.isDisturbed && taken.length < bench.extent.triesMax && bench.mayRepeat(seconds))
  const [kept, ...rejected] = taken.toSorted(byNoise)
  if (!kept) throw new Error('Broken promise: at least one sample was taken')
  return { ...kept, rejected }
}
