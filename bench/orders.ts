import type { FoundRecords } from '#capabilities/search/found-records.ts'
import { queryOrders } from '#capabilities/search/query-orders.operation.ts'
import { AccountClocks } from '#engine/account-clock/account-clock.ts'
import { merchantReader, rememberingMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { systemClock } from '#platform/clock.ts'
import { type Database, openDatabase } from '#platform/postgres/database.ts'
import { migrate } from '#platform/postgres/migrate.ts'
import { fillOrders, type ManyOrders, orderDays, orderFacts } from '../test/support/many-orders.ts'
import { searcherOf, tellingPlans } from '../test/support/searching.ts'
import { openCluster } from './cluster.ts'
import { Dice } from './dice.ts'
import { type Bench, CheckFailed, type Report, type Scenario } from './scenario.ts'
import { quantile } from './statistics.ts'

// Searches of international orders among many records: each kind that the docs tell to be quick, with values
// of its own every time, through the operation that the interface calls.
export const ordersScenario: Scenario = {
  name: 'orders',
  extents: ['quick', 'full'],
  quickSeconds: 60,
  run: measureOrders,
}

const recordsEach = 3
const p99MaxMs = 10

// A kind of query, for the n-th order of the account.
type Kind = {
  readonly what: string
  readonly queryFor: (order: number, many: ManyOrders) => string
  // No index leads to it, so it is answered from the newest days.
  readonly isUnled?: true
}

const kinds: readonly Kind[] = [
  { what: 'transaction', queryFor: (order) => `(F='${orderFacts.transaction(order)}')` },
  {
    what: 'day and merchant, final records',
    queryFor: (order, many) => `(A=${1 + (order % 50)})&&${dayOf(order, many)}&&(B=3)&&(E=1)`,
  },
  {
    what: 'last name prefix',
    queryFor: (order) => `(D LIKE '${orderFacts.lastName(order).slice(0, -1)}%')&&(B=3)`,
  },
  { what: 'last four', queryFor: (order) => `(Q=${orderFacts.lastFour(order)})&&(B=3)` },
  { what: 'reference', queryFor: (order) => `(M='${orderFacts.reference(order)}')` },
  {
    what: 'amount and day',
    queryFor: (order, many) => `(L=${orderFacts.amount(order)})&&${dayOf(order, many)}`,
  },
  {
    what: 'end of a last name',
    queryFor: (order) => `(D LIKE '%${orderFacts.lastName(order).slice(-4)}')&&(B=3)`,
    isUnled: true,
  },
]

// The day on which an order was made, by two bounds.
function dayOf(order: number, { from, orders }: ManyOrders): string {
  const milliseconds = Math.round((order / orders) * orderDays * 86_400_000)
  const day = from.add({ milliseconds }).toZonedDateTimeISO('UTC').toPlainDate()
  return `(C>='${day.toString()}')&&(C<'${day.add({ days: 1 }).toString()}')`
}

async function measureOrders(bench: Bench): Promise<Report> {
  const records = bench.extent.name === 'full' ? 5_000_000 : 300_000
  const cluster = await openCluster(bench)
  const connection = cluster.connectionTo('postgres')
  await migrate(connection)
  bench.say(`Orders: making ${records.toLocaleString('en-US')} records`)
  const many = await cluster.withClient('postgres', (client) =>
    fillOrders(client, Math.ceil(records / recordsEach), systemClock.now()),
  )
  const db = openDatabase(connection, { sizeMax: 4, onIdleError: () => undefined })
  try {
    await bench.waitForQuiet()
    const measured = []
    for (const kind of kinds) measured.push(await measureKind(bench, db, { kind, many }))
    return reportOf(measured, records)
  } finally {
    await db.close()
  }
}

type Measured = {
  readonly what: string
  readonly p50Ms: number
  readonly p99Ms: number
  readonly records: number
  // What led to them: an index, or how many of the newest days were looked at.
  readonly by: string
  readonly limitMs: number
}

type Measuring = { readonly kind: Kind; readonly many: ManyOrders }

async function measureKind(bench: Bench, db: Database, { kind, many }: Measuring): Promise<Measured> {
  // Some kinds answer hundreds of records, so a tenth of the usual series is enough to wait for.
  const { isUnled = false } = kind
  const seriesLength = isUnled ? unledSeries : Math.max(100, Math.round(bench.extent.seriesLength / 10))
  const warmUp = isUnled ? 2 : usualWarmUp
  const dice = new Dice(1)
  // Not every fifth, which belongs to others.
  const drawn = () => 1 + 5 * Math.floor(dice.roll() * (many.orders / 5 - 1))
  let by = isUnled ? '' : await indexFor(db, { kind, many }, drawn())
  const needs = needsOn(db)
  const times: number[] = []
  let found = 0
  for (let at = 0; at < seriesLength + warmUp; at += 1) {
    const query = kind.queryFor(drawn(), many)
    const began = performance.now()
    const answer = await queryOrders(needs, searcherOf(many.account, systemClock.now()), query)
    const ms = performance.now() - began
    if (!answer.ok || answer.value.records.length === 0) throw new CheckFailed(`${query} finds nothing`)
    if (isUnled) by = daysOf(answer.value, query)
    if (at < warmUp) continue
    times.push(ms)
    found += answer.value.records.length
  }
  return {
    what: kind.what,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    records: Math.round(found / seriesLength),
    by,
    limitMs: isUnled ? unledMaxMs : p99MaxMs,
  }
}

const usualWarmUp = 50
const unledSeries = 20
// Five tries of two seconds each, among fewer days every time.
const unledMaxMs = 10_000

// An answer from the newest days must say so.
function daysOf({ recentDays }: FoundRecords<unknown>, query: string): string {
  if (recentDays === null) throw new CheckFailed(`${query} is not bounded to the newest days`)
  return `newest ${recentDays} days`
}

async function indexFor(db: Database, { kind, many }: Measuring, order: number): Promise<string> {
  const telling = tellingPlans(db)
  await queryOrders(
    needsOn(telling.db),
    searcherOf(many.account, systemClock.now()),
    kind.queryFor(order, many),
  )
  const plan = telling.plans.join('\n')
  const index = /order_record_\w+/.exec(plan)?.[0]
  if (index === undefined || plan.includes('Seq Scan on order_record'))
    throw new CheckFailed(`${kind.what} uses no index:\n${plan}`)
  return index
}

function needsOn(db: Database) {
  const merchantReads = rememberingMerchants(merchantReader({ db }), { clock: systemClock })
  return { db, accountClock: new AccountClocks(systemClock), merchantReads }
}

function reportOf(measured: readonly Measured[], records: number): Report {
  const among = `among ${records.toLocaleString('en-US')} records`
  return {
    figures: measured.map(({ what, p50Ms, p99Ms, records: each, by }) => ({
      what: `orders by ${what}`,
      value: `p99 ${p99Ms.toFixed(1)} ms`,
      notes: `p50 ${p50Ms.toFixed(1)} ms, about ${each} records each, ${by}`,
    })),
    verdicts: measured.map(({ what, p99Ms, limitMs }) => ({
      passes: p99Ms <= limitMs,
      sentence: `orders by ${what} ${among}: p99 ${p99Ms.toFixed(1)} ms (limit ${limitMs} ms)`,
    })),
    details: { records, measured },
  }
}
