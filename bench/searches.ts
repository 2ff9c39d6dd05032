import type { FoundRecords } from '#capabilities/search/found-records.ts'
import { patienceMs } from '#capabilities/search/search-turns.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { Result } from '#kernel/result.ts'
import { systemClock } from '#platform/clock.ts'
import { type Database, openDatabase } from '#platform/postgres/database.ts'
import { migrate } from '#platform/postgres/migrate.ts'
import type pg from 'pg'
import { daysOfRecords, type ManyRecords } from '../test/support/many-records.ts'
import { searcherOf, tellingPlans } from '../test/support/searching.ts'
import { openCluster } from './cluster.ts'
import { Dice } from './dice.ts'
import { type Bench, CheckFailed, type Report } from './scenario.ts'
import { quantile } from './statistics.ts'

// Searches among many records: the usual kinds of those that the docs tell to be quick, with values of their
// own every time, through the operation that the interface calls.

// A kind of query, for the n-th record.
export type Kind = {
  readonly what: string
  readonly queryFor: (n: number, many: ManyRecords) => string
  // No index leads to it: all records are looked at, or it is refused because that takes too long.
  readonly isUnled?: true
}

type Search = (caller: Caller, query: string) => Promise<Result<FoundRecords<unknown>, string>>

type Searches = {
  readonly subject: string
  readonly table: string
  readonly kinds: readonly Kind[]
  readonly fill: (client: pg.Client, rows: number, now: Temporal.Instant) => Promise<ManyRecords>
  readonly searchOn: (db: Database) => Search
}

// In a smoke run as few as an index is still worth its while for.
const rowsIn = { smoke: 60_000, quick: 300_000, full: 5_000_000 } as const
const p99MaxMs = 10
const usualWarmUp = 50
const unledSeries = 20
// Its patience, and half a second for the turns.
const unledMaxMs = patienceMs + 500

export async function measureSearches(bench: Bench, searches: Searches): Promise<Report> {
  const rows = rowsIn[bench.extent.name]
  const cluster = await openCluster(bench)
  const connection = cluster.connectionTo('postgres')
  await migrate(connection)
  bench.say(`making ${rows.toLocaleString('en-US')} ${searches.subject}`)
  const many = await cluster.withClient('postgres', (client) =>
    searches.fill(client, rows, systemClock.now()),
  )
  const db = openDatabase(connection, { sizeMax: 4, onIdleError: () => undefined })
  try {
    await bench.waitForQuiet()
    const measured = []
    for (const kind of searches.kinds)
      measured.push(await measureKind(bench, db, { ...searches, kind, many }))
    return reportOf(measured, searches.subject, rows)
  } finally {
    await db.close()
  }
}

type Measured = {
  readonly what: string
  readonly p50Ms: number
  readonly p99Ms: number
  readonly records: number
  // What led to them: an index, or a look at all.
  readonly by: string
  readonly limitMs: number
}

type Measuring = Pick<Searches, 'searchOn' | 'table'> & {
  readonly kind: Kind
  readonly many: ManyRecords
}

async function measureKind(bench: Bench, db: Database, measuring: Measuring): Promise<Measured> {
  const { kind, many } = measuring
  const search = measuring.searchOn(db)
  // Some kinds answer hundreds of records, so a tenth of the usual series is enough to wait for.
  const { isUnled = false } = kind
  const seriesLength = isUnled ? unledSeries : Math.max(100, Math.round(bench.extent.seriesLength / 10))
  const warmUp = isUnled ? 2 : usualWarmUp
  const dice = new Dice(1)
  // Not every fifth, which belongs to others.
  const drawn = () => 1 + 5 * Math.floor(dice.roll() * (many.count / 5 - 1))
  let by = isUnled ? 'a look at all' : await indexFor(db, measuring, drawn())
  const times: number[] = []
  let found = 0
  for (let at = 0; at < seriesLength + warmUp; at += 1) {
    const query = kind.queryFor(drawn(), many)
    const began = performance.now()
    const answer = await search(searcherOf(many.account, systemClock.now()), query)
    const ms = performance.now() - began
    const records = answer.ok ? answer.value.records.length : 0
    if (isUnled && !answer.ok) by = 'refused at times, with the term to add'
    else if (records === 0) throw new CheckFailed(`${query} finds nothing`)
    if (at < warmUp) continue
    times.push(ms)
    found += records
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

async function indexFor(
  db: Database,
  { kind, many, searchOn, table }: Measuring,
  n: number,
): Promise<string> {
  const telling = tellingPlans(db)
  await searchOn(telling.db)(searcherOf(many.account, systemClock.now()), kind.queryFor(n, many))
  const plan = telling.plans.join('\n')
  // The leading one stands first.
  const index = new RegExp(`(?:using|Index Scan on) (${table}_\\w+)`).exec(plan)?.[1]
  if (index === undefined || plan.includes(`Seq Scan on ${table}`))
    throw new CheckFailed(`${kind.what} uses no index:\n${plan}`)
  return index
}

function reportOf(measured: readonly Measured[], subject: string, rows: number): Report {
  const among = `among ${rows.toLocaleString('en-US')}`
  return {
    figures: measured.map(({ what, p50Ms, p99Ms, records: each, by }) => ({
      what: `${subject} by ${what}`,
      value: `p99 ${p99Ms.toFixed(1)} ms`,
      notes: `p50 ${p50Ms.toFixed(1)} ms, about ${each} records each, ${by}`,
    })),
    verdicts: measured.map(({ what, p99Ms, limitMs }) => ({
      passes: p99Ms <= limitMs,
      sentence: `${subject} by ${what} ${among}: p99 ${p99Ms.toFixed(1)} ms (limit ${limitMs} ms)`,
    })),
    details: { rows, measured },
  }
}

// The day on which the n-th was made, by two bounds.
export function dayOf(n: number, { count, from }: ManyRecords): string {
  const milliseconds = Math.round((n / count) * daysOfRecords * 86_400_000)
  const day = from.add({ milliseconds }).toZonedDateTimeISO('UTC').toPlainDate()
  return `(C>='${day.toString()}')&&(C<'${day.add({ days: 1 }).toString()}')`
}
