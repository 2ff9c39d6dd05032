import type { ReportLine } from '#engine/acquirers/acquirer.ts'
import { arrayOf, bool, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const insertReportStatement = statement(
  'insert_bank_report_lines',
  [
    text,
    arrayOf(text),
    arrayOf(text),
    arrayOf(nullable(int8)),
    arrayOf(text),
    arrayOf(bool),
    arrayOf(text),
    arrayOf(timestamptz),
    int4,
  ],
  {},
  `insert into bank_report_line (run_id, acquirer_ref, kind, approved_minor, currency, is_reversed,
     settled_in, reported_at, line_number)
   select $1, i.acquirer_ref, i.kind, i.minor, i.currency, i.is_reversed, i.settled_in, i.at,
     $9::int4 + i.place
   from unnest($2::text[], $3::text[], $4::int8[], $5::text[], $6::bool[], $7::text[], $8::timestamptz[])
     with ordinality as i (acquirer_ref, kind, minor, currency, is_reversed, settled_in, at, place)`,
)

const deleteReportStatement = statement(
  'delete_bank_report_lines',
  [text],
  {},
  `delete from bank_report_line where run_id = $1`,
)

const newestAttemptStatement = statement(
  'find_newest_reconciled_attempt',
  [],
  { attempt_id: nullable(int8) },
  `select max(attempt_id) as attempt_id from attempt`,
)

const attemptFromStatement = statement(
  'find_attempt_from_id',
  [int8],
  { attempt_id: int8, created_at: timestamptz },
  `select attempt_id, created_at from attempt where attempt_id >= $1 order by attempt_id limit 1`,
)

const utmostAheadStatement = statement(
  'find_utmost_ahead',
  [],
  { ahead_ms: int8 },
  `select coalesce(max(ahead_ms), 0) as ahead_ms from account_clock`,
)

const listStrangersStatement = statement(
  'list_strangers_in_report',
  [text, text, timestamptz, timestamptz, int4],
  { acquirer_ref: text, kind: text, approved_minor: int8, currency: text },
  `select distinct on (r.acquirer_ref) r.acquirer_ref, r.kind, r.approved_minor, r.currency
   from bank_report_line r left join attempt a using (acquirer_ref)
   where r.run_id = $1 and r.acquirer_ref > $2 and a.attempt_id is null and r.approved_minor > 0
     and not r.is_reversed and r.reported_at >= $3 and r.reported_at < $4
   order by r.acquirer_ref, r.line_number limit $5::int4`,
)

// Postings under the id of an attempt that does not exist. A span of ids at a time, so each look is short.
const listOrphansStatement = statement(
  'list_postings_without_attempt',
  [int8, int8],
  { attempt_id: int8, minor: int8, currency: text },
  `select o.attempt_id, o.amount_minor as minor, o.currency from posting o
   where o.attempt_id >= $1 and o.attempt_id < $2
     and not exists (select 1 from attempt a where a.attempt_id = o.attempt_id)
   order by o.attempt_id`,
)

// Sales of which nothing is left to be charged back, and that have no dispute.
const listGivenBackStatement = statement(
  'list_sales_given_back',
  [arrayOf(text), timestamptz, timestamptz],
  { acquirer_ref: text, payment_id: int8, is_void: bool },
  `select p.acquirer_ref, p.payment_id, p.status = 'void' as is_void from payment p
   where p.acquirer_ref = any($1) and p.created_at >= $2 and p.created_at < $3 and p.kind = 'sale'
     and (p.status = 'void' or p.status = 'open' and p.credited_minor >= p.total_minor)
     and not exists (select 1 from dispute d where d.payment_id = p.payment_id)`,
)

export type Period = { readonly from: Temporal.Instant; readonly to: Temporal.Instant }

type ReportPage = {
  readonly run: string
  // How many lines came before.
  readonly after: number
  readonly lines: readonly ReportLine[]
}

export async function insertReport(db: Queryable, { run, after, lines }: ReportPage): Promise<void> {
  await db.run(insertReportStatement, [
    run,
    lines.map(({ ref }) => ref),
    lines.map(({ kind }) => kind),
    lines.map(({ approved }) => approved?.minor ?? null),
    lines.map(({ approved }) => approved?.currency ?? ''),
    lines.map(({ reversed }) => reversed),
    lines.map(({ settledIn }) => settledIn),
    lines.map(({ at }) => at),
    after,
  ])
}

export async function deleteReport(db: Queryable, run: string): Promise<void> {
  await db.run(deleteReportStatement, [run])
}

// 0 when there is none.
export async function findNewestAttempt(db: Queryable): Promise<bigint> {
  const [row] = await db.run(newestAttemptStatement, [])
  return row?.attempt_id ?? 0n
}

export async function findAttemptFrom(
  db: Queryable,
  id: bigint,
): Promise<{ readonly id: bigint; readonly createdAt: Temporal.Instant } | null> {
  const [row] = await db.run(attemptFromStatement, [id])
  return row ? { id: row.attempt_id, createdAt: row.created_at } : null
}

// How far the account is ahead of real time that is furthest ahead of it.
export async function findUtmostAheadMs(db: Queryable): Promise<number> {
  const [row] = await db.run(utmostAheadStatement, [])
  return Number(row?.ahead_ms ?? 0n)
}

type Page = Period & { readonly run: string; readonly most: number }

export type Stranger = {
  readonly ref: string
  readonly kind: string
  readonly minor: bigint
  readonly currency: string
}

export async function listStrangers(
  db: Queryable,
  { run, from, to, most, after }: Page & { readonly after: string },
): Promise<readonly Stranger[]> {
  const rows = await db.run(listStrangersStatement, [run, after, from, to, most])
  return rows.map((row) => {
    return { ref: row.acquirer_ref, kind: row.kind, minor: row.approved_minor, currency: row.currency }
  })
}

type GivenBack = { readonly id: bigint; readonly isVoid: boolean }

// By their references.
export async function listGivenBack(
  db: Queryable,
  { from, to, refs }: Period & { readonly refs: readonly string[] },
): Promise<ReadonlyMap<string, GivenBack>> {
  const rows = await db.run(listGivenBackStatement, [refs, from, to])
  return new Map(rows.map((row) => [row.acquirer_ref, { id: row.payment_id, isVoid: row.is_void }]))
}

type Orphan = { readonly id: bigint; readonly minor: bigint; readonly currency: string }

// Ids from the first up to, but not including, the end.
export async function listOrphans(
  db: Queryable,
  { first, end }: { readonly first: bigint; readonly end: bigint },
): Promise<readonly Orphan[]> {
  const rows = await db.run(listOrphansStatement, [first, end])
  return rows.map((row) => ({ id: row.attempt_id, minor: row.minor, currency: row.currency }))
}
