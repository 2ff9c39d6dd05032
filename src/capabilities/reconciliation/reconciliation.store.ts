import type { ReconciledBatch, ReconciledLine } from '#capabilities/reconciliation/reconciled.ts'
import type { AcquirerRef, ReportLine } from '#engine/acquirers/acquirer.ts'
import { accountId } from '#kernel/ids.ts'
import { arrayOf, bool, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

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
  ],
  {},
  `insert into bank_report_line (run_id, acquirer_ref, kind, approved_minor, currency, is_reversed,
     settled_in, reported_at)
   select $1, i.*
   from unnest($2::text[], $3::text[], $4::int8[], $5::text[], $6::bool[], $7::text[], $8::timestamptz[]) as i
   on conflict do nothing`,
)

const deleteReportStatement = statement(
  'delete_bank_report_lines',
  [text],
  {},
  `delete from bank_report_line where run_id = $1`,
)

const firstAttemptStatement = statement(
  'find_first_attempt_since',
  [timestamptz],
  { attempt_id: nullable(int8) },
  `select min(attempt_id) as attempt_id from attempt where created_at >= $1`,
)

const lineColumns = {
  attempt_id: int8,
  account_id: int8,
  account_code: text,
  merchant_number: int4,
  kind: text,
  state: text,
  acquirer_ref: text,
  client_ref: text,
  currency: text,
  approved_minor: int8,
  approved_fee_minor: int8,
  payment_status: nullable(text),
  payment_minor: nullable(int8),
  payment_fee_minor: nullable(int8),
  posted_minor: int8,
  posted_fee_minor: int8,
  batch_number: nullable(int4),
  batch_state: nullable(text),
  batch_ref: nullable(text),
  bank_minor: nullable(int8),
  bank_reversed: nullable(bool),
  bank_settled_in: nullable(text),
  created_at: timestamptz,
} as const

// A page in the order of ids, so that any number of them streams through.
const listLinesStatement = statement(
  'list_reconciled_lines',
  [text, int8, timestamptz, timestamptz, int4],
  lineColumns,
  `select a.attempt_id, a.account_id, c.account_code, a.merchant_number, a.kind, a.state, a.acquirer_ref,
     coalesce(a.details ->> 'clientRef', '') as client_ref, a.currency, a.approved_minor,
     a.approved_fee_minor,
     p.status as payment_status, p.total_minor as payment_minor, p.fee_minor as payment_fee_minor,
     coalesce(o.total, 0)::int8 as posted_minor, coalesce(o.fee, 0)::int8 as posted_fee_minor,
     t.batch_number, t.state as batch_state, t.acquirer_ref as batch_ref,
     case when r.acquirer_ref is not null then coalesce(r.approved_minor, 0) end as bank_minor,
     r.is_reversed as bank_reversed, r.settled_in as bank_settled_in, a.created_at
   from attempt a
     join account c using (account_id)
     left join payment p on p.payment_id = a.attempt_id
     left join lateral (
       select
         sum(case 'acquirer' when debit then amount_minor when credit then -amount_minor else 0 end) as total,
         sum(case 'fees' when credit then amount_minor when debit then -amount_minor else 0 end) as fee
       from posting where attempt_id = a.attempt_id and debit <> 'disputes' and credit <> 'disputes'
     ) o on true
     left join batch_item b on b.payment_id = a.attempt_id
     left join batch t using (batch_id)
     left join bank_report_line r on r.run_id = $1 and r.acquirer_ref = a.acquirer_ref
   where a.attempt_id > $2 and a.created_at >= $3 and a.created_at < $4
   order by a.attempt_id limit $5::int4`,
)

const listStrangersStatement = statement(
  'list_strangers_in_report',
  [text, text, timestamptz, timestamptz, int4],
  { acquirer_ref: text, kind: text, approved_minor: int8, currency: text },
  `select r.acquirer_ref, r.kind, r.approved_minor, r.currency
   from bank_report_line r left join attempt a using (acquirer_ref)
   where r.run_id = $1 and r.acquirer_ref > $2 and a.attempt_id is null and r.approved_minor > 0
     and not r.is_reversed and r.reported_at >= $3 and r.reported_at < $4
   order by r.acquirer_ref limit $5::int4`,
)

const listBatchesStatement = statement(
  'list_reconciled_batches',
  [int8, timestamptz, timestamptz, int4],
  {
    batch_id: int8,
    batch_number: int4,
    state: text,
    acquirer_ref: text,
    currency: text,
    card_count: int4,
    card_net_minor: int8,
    item_count: int4,
    item_net_minor: int8,
  },
  `select t.batch_id, t.batch_number, t.state, t.acquirer_ref, t.currency, t.card_count, t.card_net_minor,
     s.items as item_count, s.net as item_net_minor
   from batch t, lateral (
     select count(*)::int4 as items,
       coalesce(sum(case when p.kind = 'credit' then -p.total_minor else p.total_minor end), 0)::int8 as net
     from batch_item b left join payment p using (payment_id) where b.batch_id = t.batch_id
   ) s
   where t.batch_id > $1 and t.closed_at >= $2 and t.closed_at < $3 order by t.batch_id limit $4::int4`,
)

export type Period = { readonly from: Temporal.Instant; readonly to: Temporal.Instant }

export async function insertReport(db: Queryable, run: string, lines: readonly ReportLine[]): Promise<void> {
  await db.run(insertReportStatement, [
    run,
    lines.map(({ ref }) => ref),
    lines.map(({ kind }) => kind),
    lines.map(({ approved }) => approved?.minor ?? null),
    lines.map(({ approved }) => approved?.currency ?? ''),
    lines.map(({ reversed }) => reversed),
    lines.map(({ settledIn }) => settledIn),
    lines.map(({ at }) => at),
  ])
}

export async function deleteReport(db: Queryable, run: string): Promise<void> {
  await db.run(deleteReportStatement, [run])
}

export async function findFirstAttempt(db: Queryable, since: Temporal.Instant): Promise<bigint | null> {
  const [row] = await db.run(firstAttemptStatement, [since])
  return row?.attempt_id ?? null
}

type Page = Period & { readonly run: string; readonly most: number }

export async function listLines(
  db: Queryable,
  { run, from, to, most, after }: Page & { readonly after: bigint },
): Promise<readonly ReconciledLine[]> {
  return (await db.run(listLinesStatement, [run, after, from, to, most])).map(lineFromRow)
}

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

export async function listBatchLines(
  db: Queryable,
  { from, to, most, after }: Omit<Page, 'run'> & { readonly after: bigint },
): Promise<readonly Omit<ReconciledBatch, 'bankNetMinor'>[]> {
  const rows = await db.run(listBatchesStatement, [after, from, to, most])
  return rows.map((row) => ({
    batch: row.batch_id,
    number: row.batch_number,
    state: row.state,
    ref: row.acquirer_ref as AcquirerRef,
    currency: row.currency,
    cardCount: row.card_count,
    cardNetMinor: row.card_net_minor,
    itemCount: row.item_count,
    itemNetMinor: row.item_net_minor,
  }))
}

function lineFromRow(row: RowOf<typeof lineColumns>): ReconciledLine {
  const { payment_status: status, payment_minor: totalMinor, payment_fee_minor: feeMinor } = row
  const { batch_number: number, batch_state: state, batch_ref: batchRef, bank_minor: bankMinor } = row
  return {
    transaction: row.attempt_id,
    accountId: accountId(row.account_id),
    accountCode: row.account_code,
    merchantNumber: row.merchant_number,
    kind: row.kind,
    state: row.state,
    ref: row.acquirer_ref as AcquirerRef,
    clientRef: row.client_ref,
    currency: row.currency,
    approvedMinor: row.approved_minor,
    approvedFeeMinor: row.approved_fee_minor,
    payment:
      status !== null && totalMinor !== null && feeMinor !== null ? { status, totalMinor, feeMinor } : null,
    postedMinor: row.posted_minor,
    postedFeeMinor: row.posted_fee_minor,
    batch: number !== null && state !== null && batchRef !== null ? { number, state, ref: batchRef } : null,
    bank:
      bankMinor === null
        ? null
        : {
            approvedMinor: bankMinor,
            isReversed: row.bank_reversed === true,
            settledIn: row.bank_settled_in,
          },
    createdAt: row.created_at,
  }
}
