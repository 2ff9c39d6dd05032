import type { FileEntry, ReconciledBatch } from '#capabilities/reconciliation/reconciled-batch.ts'
import type { Period } from '#capabilities/reconciliation/reconciliation.store.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { bool, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const listBatchesStatement = statement(
  'list_reconciled_batches',
  [int8, timestamptz, timestamptz, int4, timestamptz],
  {
    batch_id: int8,
    batch_number: int4,
    state: text,
    acquirer_ref: text,
    currency: text,
    item_count: int4,
    sales_minor: int8,
    credits_minor: int8,
    card_count: int4,
    card_net_minor: int8,
    card_rows: int4,
    card_sales: int8,
    card_credits: int8,
    debit_rows: int4,
    debit_sales: int8,
    debit_credits: int8,
    is_left: bool,
    file: nullable(text),
  },
  `select t.batch_id, t.batch_number, t.state, t.acquirer_ref, t.currency, t.item_count, t.sales_minor,
     t.credits_minor, t.card_count, t.card_net_minor, s.card_rows, s.card_sales, s.card_credits,
     d.debit_rows, d.debit_sales, d.debit_credits, t.lease_until <= $5 as is_left, f.text as file
   from batch t
     cross join lateral (
       select count(*)::int4 as card_rows,
         coalesce(sum(p.total_minor) filter (where p.kind <> 'credit'), 0)::int8 as card_sales,
         coalesce(sum(p.total_minor) filter (where p.kind = 'credit'), 0)::int8 as card_credits
       from batch_item b left join payment p using (payment_id) where b.batch_id = t.batch_id
     ) s
     cross join lateral (
       select count(*)::int4 as debit_rows,
         coalesce(sum(i.total_minor) filter (where i.kind = 'debit'), 0)::int8 as debit_sales,
         coalesce(sum(i.total_minor) filter (where i.kind = 'credit'), 0)::int8 as debit_credits
       from bank_item i where i.batch_id = t.batch_id
     ) d
     left join bank_file f on f.batch_id = t.batch_id and f.accepted_at is not null
   where t.batch_id > $1 and t.closed_at >= $2 and t.closed_at < $3 order by t.batch_id limit $4::int4`,
)

const listDebitsStatement = statement(
  'list_debits_of_reconciled_batch',
  [int8],
  { attempt_id: int8, trace: nullable(text), total_minor: int8, is_debit: bool },
  `select attempt_id, trace, total_minor, kind = 'debit' as is_debit from bank_item where batch_id = $1`,
)

type Page = Period & { readonly most: number; readonly after: bigint; readonly now: Temporal.Instant }
export type BatchRow = Omit<ReconciledBatch, 'bankNetMinor' | 'fileEntries' | 'debitEntries'> & {
  // Without account numbers.
  readonly file: string | null
}

export async function listBatchRows(
  db: Queryable,
  { from, to, most, after, now }: Page,
): Promise<readonly BatchRow[]> {
  const rows = await db.run(listBatchesStatement, [after, from, to, most, now])
  return rows.map((row) => ({
    batch: row.batch_id,
    number: row.batch_number,
    state: row.state,
    ref: row.acquirer_ref as AcquirerRef,
    currency: row.currency,
    header: {
      count: row.item_count,
      salesMinor: row.sales_minor,
      creditsMinor: row.credits_minor,
      cardCount: row.card_count,
      cardNetMinor: row.card_net_minor,
    },
    cards: { count: row.card_rows, salesMinor: row.card_sales, creditsMinor: row.card_credits },
    debits: { count: row.debit_rows, salesMinor: row.debit_sales, creditsMinor: row.debit_credits },
    isLeft: row.is_left,
    file: row.file,
  }))
}

export async function listDebitEntries(db: Queryable, batch: bigint): Promise<readonly FileEntry[]> {
  const rows = await db.run(listDebitsStatement, [batch])
  return rows.map(({ attempt_id: id, trace, total_minor: minor, is_debit: isDebit }) => {
    return { transaction: String(id), trace: trace ?? '', minor, isDebit }
  })
}
