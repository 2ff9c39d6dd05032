import type { SettlingRecord } from '#capabilities/settlement/batch-companion.ts'
import type { BatchId } from '#capabilities/settlement/batch.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { arrayOf, bool, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// Voids and credits share this lock for the moment in which they take their sale; whoever closes the day
// holds it alone. So nothing is taken between the look at a payment and its entry in a batch.
const holdRecordStatement = statement(
  'hold_settlement_of_record',
  [int8, int4],
  { locked: nullable(text) },
  `select pg_advisory_xact_lock(hashtextextended('settlement ' || $1::int8 || ' ' || $2::int4, 0))::text
     as locked`,
)

const unsettled = `p.kind in ('sale', 'credit') and p.status = 'open' and p.total_minor > 0
       and not exists (select 1 from batch_item b where b.payment_id = p.payment_id)`

// One statement, so that exactly what was compared with the books is taken: if a single row disagrees with
// them, nothing is.
const closeItems = (chosen: string) => `with candidate as materialized (
     select p.payment_id, p.kind = 'credit' as is_credit, p.total_minor, p.fee_minor, p.created_at
     from payment p
     where p.account_id = $2 and p.merchant_number = $3 and p.currency = $4 and ${chosen}
       and p.taken_by is null and ${unsettled}
   ), booked as (
     select o.attempt_id,
       sum(case 'acquirer' when o.debit then o.amount_minor when o.credit then -o.amount_minor else 0 end)
         as total,
       sum(case 'fees' when o.credit then o.amount_minor when o.debit then -o.amount_minor else 0 end) as fee
     from posting o join candidate c on c.payment_id = o.attempt_id
     where o.debit <> 'disputes' and o.credit <> 'disputes'
     group by o.attempt_id
   ), wrong as materialized (
     select c.payment_id from candidate c left join booked b on b.attempt_id = c.payment_id
     where b.total is distinct from (case when c.is_credit then -c.total_minor else c.total_minor end)
       or b.fee is distinct from (case when c.is_credit then -c.fee_minor else c.fee_minor end)
   ), added as (
     insert into batch_item (payment_id, batch_id)
     select payment_id, $1 from candidate where not exists (select 1 from wrong) order by payment_id
   )
   select count(*)::int4 as items, coalesce(sum(total_minor) filter (where not is_credit), 0)::int8 as sales,
     coalesce(sum(total_minor) filter (where is_credit), 0)::int8 as credits, min(created_at) as oldest_at,
     (select min(payment_id) from wrong) as wrong_id
   from candidate`

const closedColumns = {
  items: int4,
  sales: int8,
  credits: int8,
  oldest_at: nullable(timestamptz),
  wrong_id: nullable(int8),
} as const

const closeAllStatement = statement(
  'close_all_items',
  [int8, int8, int4, text, int8],
  closedColumns,
  closeItems('p.payment_id >= $5::int8'),
)

const closeSelectedStatement = statement(
  'close_selected_items',
  [int8, int8, int4, text, arrayOf(int8)],
  closedColumns,
  closeItems('p.payment_id = any($5::int8[])'),
)

const countUnsettledStatement = statement(
  'count_unsettled',
  [int8, int4, int8],
  { unsettled: int4, lowest_id: nullable(int8) },
  `select count(*)::int4 as unsettled, min(p.payment_id) as lowest_id from payment p
   where p.account_id = $1 and p.merchant_number = $2 and p.payment_id >= $3 and ${unsettled}`,
)

const sumUnsettledStatement = statement(
  'sum_unsettled',
  [int8, int4, int8],
  { items: int4, sales: int8, credits: int8, oldest_at: nullable(timestamptz) },
  `select count(*)::int4 as items,
     coalesce(sum(p.total_minor) filter (where p.kind = 'sale'), 0)::int8 as sales,
     coalesce(sum(p.total_minor) filter (where p.kind = 'credit'), 0)::int8 as credits,
     min(p.created_at) as oldest_at
   from payment p
   where p.account_id = $1 and p.merchant_number = $2 and p.payment_id >= $3 and ${unsettled}`,
)

const listItemsStatement = statement(
  'list_batch_items',
  [int8],
  { payment_id: int8, acquirer_ref: text, total_minor: int8, is_credit: bool },
  `select p.payment_id, p.acquirer_ref, p.total_minor, p.kind = 'credit' as is_credit
   from batch_item b join payment p using (payment_id) where b.batch_id = $1 order by p.payment_id`,
)

const readNamedStatement = statement(
  'read_named_payments',
  [int8, int4, arrayOf(int8)],
  {
    payment_id: int8,
    kind: text,
    status: text,
    is_zero: bool,
    is_taken: bool,
    currency: text,
    batch_number: nullable(int4),
  },
  `select p.payment_id, p.kind, p.status, p.total_minor = 0 as is_zero, p.taken_by is not null as is_taken,
     p.currency, t.batch_number
   from payment p left join batch_item b using (payment_id) left join batch t using (batch_id)
   where p.account_id = $1 and p.merchant_number = $2 and p.payment_id = any($3)`,
)

export async function lockRecord(
  tx: Tx,
  { accountId: account, merchantNumber: merchant }: SettlingRecord,
): Promise<void> {
  await tx.run(holdRecordStatement, [account, merchant])
}

export type ClosedItems = {
  readonly count: number
  readonly salesMinor: bigint
  readonly creditsMinor: bigint
  readonly oldestAt: Temporal.Instant | null
  // The first payment that the books tell differently; then nothing was taken.
  readonly wrongId: bigint | null
}

type Closing = { readonly batch: BatchId; readonly record: SettlingRecord }

// Takes everything that is unsettled into the batch; nothing below `from` is.
export async function closeAllItems(
  tx: Tx,
  { batch, record, from }: Closing & { readonly from: bigint },
): Promise<ClosedItems> {
  const { accountId: account, merchantNumber: merchant, currency } = record
  const [row] = await tx.run(closeAllStatement, [batch, account, merchant, currency, from])
  return closedFrom(row)
}

export async function closeSelectedItems(
  tx: Tx,
  { batch, record, ids }: Closing & { readonly ids: readonly bigint[] },
): Promise<ClosedItems> {
  const { accountId: account, merchantNumber: merchant, currency } = record
  const [row] = await tx.run(closeSelectedStatement, [batch, account, merchant, currency, ids])
  return closedFrom(row)
}

type ClosedRow = {
  readonly items: number
  readonly sales: bigint
  readonly credits: bigint
  readonly oldest_at: Temporal.Instant | null
  readonly wrong_id: bigint | null
}

function closedFrom(row: ClosedRow | undefined): ClosedItems {
  if (!row) throw new Error('Broken promise: a sum has one row')
  const { items, sales, credits, oldest_at, wrong_id } = row
  return { count: items, salesMinor: sales, creditsMinor: credits, oldestAt: oldest_at, wrongId: wrong_id }
}

type Counting = { readonly record: SettlingRecord; readonly from: bigint }

export async function countUnsettled(
  db: Queryable,
  { record, from }: Counting,
): Promise<{ readonly count: number; readonly lowestId: bigint | null }> {
  const [row] = await db.run(countUnsettledStatement, [record.accountId, record.merchantNumber, from])
  return { count: row?.unsettled ?? 0, lowestId: row?.lowest_id ?? null }
}

export async function sumUnsettled(
  db: Queryable,
  { record, from }: Counting,
): Promise<Omit<ClosedItems, 'wrongId'>> {
  const [row] = await db.run(sumUnsettledStatement, [record.accountId, record.merchantNumber, from])
  const { wrongId: _, ...sums } = closedFrom(row && { ...row, wrong_id: null })
  return sums
}

export type BatchItem = {
  readonly paymentId: bigint
  readonly ref: AcquirerRef
  readonly totalMinor: bigint
  readonly isCredit: boolean
}

// In the order of their ids, so that the same batch reads the same every time.
export async function listBatchItems(db: Queryable, batch: BatchId): Promise<readonly BatchItem[]> {
  const rows = await db.run(listItemsStatement, [batch])
  return rows.map((row) => ({
    paymentId: row.payment_id,
    ref: row.acquirer_ref as AcquirerRef,
    totalMinor: row.total_minor,
    isCredit: row.is_credit,
  }))
}

export type NamedPayment = {
  readonly id: bigint
  readonly kind: string
  readonly status: string
  readonly isZero: boolean
  readonly isTaken: boolean
  readonly currency: string
  readonly batchNumber: number | null
}

export async function readNamedPayments(
  db: Queryable,
  { accountId: account, merchantNumber: merchant }: SettlingRecord,
  ids: readonly bigint[],
): Promise<readonly NamedPayment[]> {
  const rows = await db.run(readNamedStatement, [account, merchant, ids])
  return rows.map((row) => ({
    id: row.payment_id,
    kind: row.kind,
    status: row.status,
    isZero: row.is_zero,
    isTaken: row.is_taken,
    currency: row.currency,
    batchNumber: row.batch_number,
  }))
}
