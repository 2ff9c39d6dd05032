import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Database } from '#platform/postgres/database.ts'
import { type Baseline, openBaseline } from './baseline.ts'
import { type ChargeLoad, startChargeLoad } from './charge-generator.ts'
import { type Cluster, openCluster, preGenerateWal } from './cluster.ts'
import { checkDurability } from './database-facts.ts'
import { type Gateway, makeHome } from './gateway.ts'
import { readMoney, Told } from './money-check.ts'
import type { Bench } from './scenario.ts'
import { type Seeded, seedGateway } from './seed.ts'

// Everything that charges are measured on, set up once for all scenarios: one cluster, the frozen scripts and
// the gateway's data on it, and a load process.
export type Stage = {
  readonly cluster: Cluster
  readonly baseline: Baseline
  readonly books: Books
  readonly load: ChargeLoad
  // The same for another database.
  loadFor(seeded: Seeded): ChargeLoad
  // The acquirer in memory, without delay and with one.
  readonly prompt: Gateway
  readonly slow: Gateway
  readonly walBytes: number
}

// A database of the gateway, and what clients of it were told.
export type Books = {
  readonly name: string
  readonly keysFolder: string
  readonly seeded: Seeded
  readonly told: Told
  readonly db: Database
}

export const acquirerDelayMs = 20

const stages = new WeakMap<Bench, Promise<Stage>>()

export function openStage(bench: Bench): Promise<Stage> {
  return stages.getOrInsertComputed(bench, () => setUp(bench))
}

async function setUp(bench: Bench): Promise<Stage> {
  const { consents, walGigabytes } = bench.extent.charges
  const cluster = await openCluster(bench)
  const settings = Object.entries(cluster.settings).map(([name, value]) => `${name}=${value}`)
  bench.say(settings.join(', '))
  const began = performance.now()
  const [baseline, books] = await Promise.all([
    openBaseline(bench, cluster, consents),
    openBooks(bench, cluster, { name: 'tillgate', consents }),
  ])
  bench.say(`${consents} consents with cards in the vault, seeded in ${secondsSince(began)} s`)
  await checkDurability(books.db)
  const [{ prompt, slow }] = await Promise.all([
    startBoth(bench, { cluster, books }),
    makeWal(bench, cluster),
  ])
  const load = startChargeLoad(bench, books.seeded)
  return {
    cluster,
    baseline,
    books,
    load,
    loadFor: (seeded) => startChargeLoad(bench, seeded),
    prompt,
    slow,
    walBytes: walGigabytes * 1024 ** 3,
  }
}

// One after the other: the first makes what a gateway comes with, and only then is it known what stands.
async function startBoth(
  bench: Bench,
  place: Pick<Stage, 'cluster' | 'books'>,
): Promise<Pick<Stage, 'prompt' | 'slow'>> {
  const prompt = await startOn(bench, place, { delayMs: 0, workers: workersFor(bench) })
  return { prompt, slow: await startOn(bench, place, { delayMs: acquirerDelayMs }) }
}

async function makeWal(bench: Bench, cluster: Cluster): Promise<void> {
  const { walGigabytes } = bench.extent.charges
  const began = performance.now()
  await preGenerateWal(cluster, walGigabytes)
  bench.say(`${walGigabytes} GB of WAL made beforehand in ${secondsSince(began)} s, checkpoint done`)
}

// Of the gateway that is driven to its limit. pgbench's server uses all cores, too; beyond two, PostgreSQL
// and the load process need them.
export function workersFor({ workers }: Pick<Bench, 'workers'>): number {
  return workers ?? Math.min(2, availableParallelism())
}

function secondsSince(began: number): string {
  return ((performance.now() - began) / 1_000).toFixed(1)
}

export async function openBooks(
  bench: Bench,
  cluster: Cluster,
  { name, consents }: { name: string; consents: number },
): Promise<Books> {
  const keysFolder = join(cluster.folder, `keys-${name}`)
  const seeded = await seedGateway({ cluster, database: name, keysFolder }, consents)
  const db = cluster.openDatabase(name)
  bench.keep(() => db.close())
  return { name, keysFolder, seeded, told: new Told(), db }
}

// With every check that the product has; only the bank keeps its log in memory and takes so long to answer.
export async function startOn(
  bench: Bench,
  { cluster, books }: Pick<Stage, 'cluster' | 'books'>,
  { delayMs, workers = bench.workers ?? 1 }: { readonly delayMs: number; readonly workers?: number },
): Promise<Gateway> {
  const home = makeHome(bench, {
    database: {
      url: cluster.urlOf(books.name),
      connection: cluster.connectionTo(books.name),
      postmasterId: cluster.postmasterId,
    },
    settings: {
      KEYS_DIR: books.keysFolder,
      TILLGATE_BANK_LOG: 'memory',
      TILLGATE_BANK_DELAY_MS: String(delayMs),
    },
    flags: ['--workers', String(workers)],
  })
  const gateway = await home.start()
  bench.keep(() => gateway.stop())
  if (books.told.isEmpty) books.told.standing = await readMoney(books.db)
  return gateway
}
