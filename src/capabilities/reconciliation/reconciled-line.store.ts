import type { ReconciledDebit } from '#capabilities/reconciliation/reconciled-debit.ts'
import type { ReconciledLine, ReconciledPayment } from '#capabilities/reconciliation/reconciled.ts'
import type { Period } from '#capabilities/reconciliation/reconciliation.store.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { AttemptState } from '#engine/payments/attempt.ts'
import { accountId } from '#kernel/ids.ts'
import { bool, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

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
  created_at: timestamptz,
  payment_status: nullable(text),
  payment_credited_minor: int8,
  debit_status: nullable(text),
  debit_minor: nullable(int8),
  debit_credited_minor: nullable(int8),
  debit_account_id: nullable(int8),
  debit_merchant: nullable(int4),
  debit_currency: nullable(text),
  debit_ref: nullable(text),
  debit_batch_id: nullable(int8),
  debit_batch_number: nullable(int4),
  debit_batch_state: nullable(text),
  credited_minor: int8,
  voids: int4,
  return_code: nullable(text),
  posted_minor: int8,
  posted_fee_minor: int8,
  stray_postings: int4,
  posted_at: nullable(timestamptz),
  posted_opened: int8,
  posted_won: int8,
  posted_lost: int8,
  dispute_state: nullable(text),
  dispute_minor: nullable(int8),
  dispute_currency: nullable(text),
  batch_number: nullable(int4),
  batch_state: nullable(text),
  batch_ref: nullable(text),
  bank_minor: nullable(int8),
  bank_reversed: nullable(bool),
  bank_settled_in: nullable(text),
  bank_times: nullable(int4),
  is_order: bool,
  awaits_bank: bool,
} as const

// A page in the order of ids, so that any number of them streams through. An attempt of an account that does
// not exist is among them, so that it is named by what does not agree with it.
// A credit that was held back, or came back, has given nothing back.
const listLinesStatement = statement(
  'list_reconciled_lines',
  [text, int8, int8, timestamptz, timestamptz, int4],
  lineColumns,
  `select a.attempt_id, a.account_id, coalesce(c.account_code, '') as account_code, a.merchant_number, a.kind,
     a.state, a.acquirer_ref, coalesce(a.details ->> 'clientRef', '') as client_ref, a.currency,
     a.approved_minor, a.approved_fee_minor, a.created_at,
     a.status as payment_status, a.credited_minor as payment_credited_minor,
     i.status as debit_status, i.total_minor as debit_minor, i.credited_minor as debit_credited_minor,
     i.account_id as debit_account_id, i.merchant_number as debit_merchant, i.currency as debit_currency,
     i.reference as debit_ref, i.batch_id as debit_batch_id, u.batch_number as debit_batch_number,
     u.state as debit_batch_state,
     coalesce(k.credited, 0)::int8 as credited_minor, k.voids, k.return_code,
     coalesce(o.total, 0)::int8 as posted_minor, coalesce(o.fee, 0)::int8 as posted_fee_minor,
     o.strays as stray_postings, o.posted_at, coalesce(o.opened, 0)::int8 as posted_opened,
     coalesce(o.won, 0)::int8 as posted_won, coalesce(o.lost, 0)::int8 as posted_lost,
     d.state as dispute_state, d.amount_minor as dispute_minor, d.currency as dispute_currency,
     t.batch_number, t.state as batch_state, t.acquirer_ref as batch_ref,
     case when r.times is not null then coalesce(r.approved_minor, 0) end as bank_minor,
     r.is_reversed as bank_reversed, r.settled_in as bank_settled_in, r.times as bank_times,
     f.order_id is not null as is_order, exists (
       select 1 from order_record w where w.account_id = f.account_id and w.order_id = f.order_id
         and w.attempt_ref = a.acquirer_ref and w.awaits_bank
     ) as awaits_bank
   from attempt a
     left join account c on c.account_id = a.account_id
     left join attempt h on h.attempt_id = a.parent_id
     left join card_order f on f.sale_ref = coalesce(h.acquirer_ref, a.acquirer_ref)
     left join bank_item i on i.attempt_id = a.attempt_id
     left join batch u on u.batch_id = i.batch_id
     left join dispute d on d.payment_id = a.attempt_id
     cross join lateral (
       select sum(k.approved_minor) filter (where k.kind = 'credit' or k.kind = 'bank_credit' and not exists (
           select 1 from attempt n
           where n.parent_id = k.attempt_id and n.kind = 'bank_credit_return' and n.state = 'approved'
         )) as credited,
         count(*) filter (where k.kind in ('void', 'bank_void') or k.details ? 'neverSent')::int4 as voids,
         max(k.result_code) filter (where k.kind in ('bank_return', 'bank_credit_return')
           and not k.details ? 'neverSent') as return_code
       from attempt k where k.parent_id = a.attempt_id and k.state in ('approved', 'partial')
     ) k
     cross join lateral (
       select
         sum(case 'acquirer' when debit then amount_minor when credit then -amount_minor else 0 end)
           filter (where 'disputes' not in (debit, credit)) as total,
         sum(case 'fees' when credit then amount_minor when debit then -amount_minor else 0 end) as fee,
         count(*) filter (where o.account_id <> a.account_id or o.merchant_number <> a.merchant_number
           or o.currency <> a.currency)::int4 as strays,
         min(o.created_at) as posted_at,
         sum(amount_minor) filter (where debit = 'disputes') as opened,
         sum(amount_minor) filter (where credit = 'disputes' and debit = 'acquirer') as won,
         sum(amount_minor) filter (where credit = 'disputes' and debit <> 'acquirer') as lost
       from posting o where o.attempt_id = a.attempt_id
     ) o
     left join batch_item b on b.payment_id = a.attempt_id
     left join batch t on t.batch_id = b.batch_id
     left join lateral (
       select l.approved_minor, l.is_reversed, l.settled_in, (count(*) over ())::int4 as times
       from bank_report_line l where l.run_id = $1 and l.acquirer_ref = a.acquirer_ref
       order by l.line_number limit 1
     ) r on true
   where a.attempt_id > $2 and a.attempt_id < $3 and a.created_at >= $4 and a.created_at < $5
   order by a.attempt_id limit $6::int4`,
)

type Page = Period & {
  readonly run: string
  readonly most: number
  readonly after: bigint
  readonly end: bigint
}

export async function listLines(
  db: Queryable,
  { run, from, to, most, after, end }: Page,
): Promise<readonly ReconciledLine[]> {
  return (await db.run(listLinesStatement, [run, after, end, from, to, most])).map(lineFromRow)
}

type Row = RowOf<typeof lineColumns>

function lineFromRow(row: Row): ReconciledLine {
  return {
    transaction: row.attempt_id,
    accountId: accountId(row.account_id),
    accountCode: row.account_code,
    merchantNumber: row.merchant_number,
    kind: row.kind,
    state: row.state as AttemptState,
    ref: row.acquirer_ref as AcquirerRef,
    clientRef: row.client_ref,
    currency: row.currency,
    approvedMinor: row.approved_minor,
    approvedFeeMinor: row.approved_fee_minor,
    payment: paymentFrom(row),
    debit: debitFrom(row),
    order: row.is_order ? { awaitsBank: row.awaits_bank } : null,
    after: { creditedMinor: row.credited_minor, voids: row.voids, returnCode: row.return_code },
    postedMinor: row.posted_minor,
    postedFeeMinor: row.posted_fee_minor,
    strayPostings: row.stray_postings,
    dispute: disputeFrom(row),
    postedDispute: { opened: row.posted_opened, won: row.posted_won, lost: row.posted_lost },
    batch: batchFrom(row),
    bank: bankFrom(row),
    createdAt: row.created_at,
    approvedAt: row.posted_at ?? row.created_at,
  }
}

function paymentFrom(row: Row): ReconciledPayment | null {
  if (row.payment_status === null) return null
  return { status: row.payment_status, creditedMinor: row.payment_credited_minor }
}

// An outer join answers all columns of a row or none of them.
function debitFrom(row: Row): ReconciledDebit | null {
  if (row.debit_status === null) return null
  return {
    status: row.debit_status,
    totalMinor: row.debit_minor ?? 0n,
    creditedMinor: row.debit_credited_minor ?? 0n,
    accountId: accountId(row.debit_account_id ?? 0n),
    merchantNumber: row.debit_merchant ?? 0,
    currency: row.debit_currency ?? '',
    ref: row.debit_ref ?? '',
    batch:
      row.debit_batch_id === null
        ? null
        : { number: row.debit_batch_number, state: row.debit_batch_state ?? '' },
  }
}

function disputeFrom({ dispute_state: state, dispute_minor: minor, dispute_currency: currency }: Row) {
  return state === null ? null : { state, minor: minor ?? 0n, currency: currency ?? '' }
}

function batchFrom({ batch_number: number, batch_state: state, batch_ref: ref }: Row) {
  return number === null ? null : { number, state: state ?? '', ref: ref ?? '' }
}

function bankFrom(row: Row) {
  const { bank_minor: approvedMinor, bank_reversed: isReversed, bank_settled_in: settledIn } = row
  if (approvedMinor === null) return null
  return { approvedMinor, isReversed: isReversed === true, settledIn, times: row.bank_times ?? 1 }
}
