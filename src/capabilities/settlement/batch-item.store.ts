import type { SettlingRecord } from '#capabilities/settlement/batch-companion.ts'
import { longestCloseMs } from '#capabilities/settlement/batch-companion.ts'
import type { BatchId } from '#capabilities/settlement/batch.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { assert } from '#kernel/assert.ts'
import { arrayOf, bool, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { patient, statement } from '#platform/postgres/statement.ts'

// Voids and credits share this lock for the moment in which they take their sale; whoever closes the day
// holds it alone. So nothing is taken between the look at a payment and its entry in a batch.
const holdRecordStatement = statement(
  'hold_settlement_of_record',
  [int8, int4],
  { locked: nullable(text) },
  `select pg_advisory_xact_lock(hashtextextended('settlement ' || $1::int8 || ' ' || $2::int4, 0))::text
     as locked`,
)

// Whoever looks gives the id below which nothing is unsettled, so that the past is not looked through. The
// money of international orders moves at the bank's cut-off, whatever has become of their record since.
export const unsettledFrom = (id: string) => `p.payment_id >= ${id} and p.kind in ('sale', 'credit')
       and p.status = 'open' and p.total_minor > 0 and not p.details ? 'orderId' and not exists (
         select 1 from batch_item b where b.payment_id = p.payment_id and b.payment_id >= ${id}
       )`

// Asked first, because it tells the planner how little of the tables is meant.
const findFirstStatement = statement(
  'find_first_payment',
  [int8, int8],
  { payment_id: nullable(int8) },
  `select min(payment_id) as payment_id from payment where account_id = $1 and payment_id >= $2`,
)

// A day of 100,000 is compared in memory, not on disk, and a busy machine may take its time for it: the
// server ends a statement after a minute, and its answer is waited for a little longer. What is the account's
// is gathered from its own index: along the ids one would walk through the attempts of everybody.
const makeRoomStatement = statement(
  'make_room_for_close',
  [],
  { work_mem: text, statement_timeout: text, enable_indexscan: text },
  `select set_config('work_mem', '64MB', true) as work_mem,
     set_config('statement_timeout', '60s', true) as statement_timeout,
     set_config('enable_indexscan', 'off', true) as enable_indexscan`,
)

// One statement, so that exactly what was compared with the books is taken: if they disagree, nothing is.
// Every transaction has a posting of its price and one of its fee, unless those are nothing. Marks made of
// the ids stand for "each of them once". In the order of ids, because the index takes them faster so.
const closeItems = (chosen: string) => `with candidate as materialized (
     select p.payment_id, p.kind = 'credit' as is_credit, p.total_minor, p.fee_minor, p.created_at
     from payment p
     where p.account_id = $2 and p.merchant_number = $3 and p.currency = $4 and ${chosen}
       and p.taken_by is null and ${unsettledFrom('$5')}
     order by p.payment_id
   ), due as materialized (
     select count(*)::int4 as items,
       coalesce(sum(total_minor) filter (where not is_credit), 0)::int8 as sales,
       coalesce(sum(total_minor) filter (where is_credit), 0)::int8 as credits,
       min(created_at) as oldest_at,
       count(*) filter (where total_minor > fee_minor) + count(*) filter (where fee_minor > 0)
         as postings,
       coalesce(sum(hashint8extended(payment_id, 1)) filter (where total_minor > fee_minor), 0)
         + coalesce(sum(hashint8extended(payment_id, 2)) filter (where fee_minor > 0), 0) as marks
     from candidate
   ), booked as (
     select count(*) as postings, count(*) filter (where (o.debit = 'acquirer') <> c.is_credit
         and o.amount_minor = case when 'fees' in (o.debit, o.credit) then c.fee_minor
           else c.total_minor - c.fee_minor end) as right_ones,
       coalesce(sum(hashint8extended(o.attempt_id,
         case when 'fees' in (o.debit, o.credit) then 2 else 1 end)), 0) as marks
     from posting o join candidate c on c.payment_id = o.attempt_id
     where o.attempt_id >= $5 and o.debit <> 'disputes' and o.credit <> 'disputes'
   ), compared as materialized (
     select d.postings = b.postings and d.postings = b.right_ones and d.marks = b.marks as agrees
     from due d, booked b
   ), added as (
     insert into batch_item (payment_id, batch_id)
     select payment_id, $1 from candidate where (select agrees from compared)
   )
   select items, sales, credits, oldest_at, (select agrees from compared) as agrees from due`

const closedColumns = {
  items: int4,
  sales: int8,
  credits: int8,
  oldest_at: nullable(timestamptz),
  agrees: bool,
} as const

const closeAllStatement = patient(
  statement('close_all_items', [int8, int8, int4, text, int8], closedColumns, closeItems('true')),
  longestCloseMs,
)

const closeSelectedStatement = patient(
  statement(
    'close_selected_items',
    [int8, int8, int4, text, int8, arrayOf(int8)],
    closedColumns,
    closeItems('p.payment_id = any($6::int8[])'),
  ),
  longestCloseMs,
)

// Which one the books tell differently, by the same measure; asked only when it is known that there is one.
const findWrongStatement = patient(
  statement(
    'find_wrong_payment',
    [int8, int4, text, int8, nullable(arrayOf(int8))],
    { payment_id: int8 },
    `select p.payment_id
   from payment p cross join lateral (
     select count(*) as postings,
       count(*) filter (where (o.debit = 'acquirer') <> (p.kind = 'credit')
         and 'fees' not in (o.debit, o.credit) and o.amount_minor = p.total_minor - p.fee_minor) as prices,
       count(*) filter (where (o.debit = 'acquirer') <> (p.kind = 'credit')
         and 'fees' in (o.debit, o.credit) and o.amount_minor = p.fee_minor) as fees
     from posting o where o.attempt_id = p.payment_id and o.debit <> 'disputes' and o.credit <> 'disputes'
   ) b
   where p.account_id = $1 and p.merchant_number = $2 and p.currency = $3 and p.taken_by is null
     and ($5::int8[] is null or p.payment_id = any($5)) and ${unsettledFrom('$4')}
     and (b.postings <> b.prices + b.fees or b.prices <> (p.total_minor > p.fee_minor)::int4
       or b.fees <> (p.fee_minor > 0)::int4)
   order by p.payment_id limit 1`,
  ),
  longestCloseMs,
)

const countUnsettledStatement = statement(
  'count_unsettled',
  [int8, int4, int8],
  { unsettled: int4, lowest_id: nullable(int8) },
  `select count(*)::int4 as unsettled, min(p.payment_id) as lowest_id from payment p
   where p.account_id = $1 and p.merchant_number = $2 and ${unsettledFrom('$3')}`,
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
   where p.account_id = $1 and p.merchant_number = $2 and ${unsettledFrom('$3')}`,
)

const listItemsStatement = statement(
  'list_batch_items',
  [int8],
  { payment_id: int8, acquirer_ref: text, total_minor: int8, is_credit: bool },
  `select p.payment_id, p.acquirer_ref, p.total_minor, p.kind = 'credit' as is_credit
   from batch_item b join payment p using (payment_id) where b.batch_id = $1 order by p.payment_id`,
)

export async function lockRecord(
  tx: Tx,
  { accountId: account, merchantNumber: merchant }: SettlingRecord,
): Promise<void> {
  await Promise.all([tx.run(holdRecordStatement, [account, merchant]), tx.run(makeRoomStatement, [])])
}

export type ClosedItems = {
  readonly count: number
  readonly salesMinor: bigint
  readonly creditsMinor: bigint
  readonly oldestAt: Temporal.Instant | null
  // With the books; otherwise nothing was taken.
  readonly agrees: boolean
}

type Closing = { readonly batch: BatchId; readonly record: SettlingRecord }

// Takes everything that is unsettled into the batch; nothing below `from` is.
export async function closeAllItems(
  tx: Tx,
  { batch, record, from }: Closing & { readonly from: bigint },
): Promise<ClosedItems> {
  const { accountId: account, merchantNumber: merchant, currency } = record
  const [first] = await tx.run(findFirstStatement, [account, from])
  const values = [batch, account, merchant, currency, first?.payment_id ?? from] as const
  const [row] = await tx.run(closeAllStatement, values)
  return closedFrom(row)
}

export async function closeSelectedItems(
  tx: Tx,
  { batch, record, ids }: Closing & { readonly ids: readonly bigint[] },
): Promise<ClosedItems> {
  const { accountId: account, merchantNumber: merchant, currency } = record
  const from = ids.reduce((least, id) => (id < least ? id : least), ids[0] ?? 0n)
  const [row] = await tx.run(closeSelectedStatement, [batch, account, merchant, currency, from, ids])
  return closedFrom(row)
}

type ClosedRow = {
  readonly items: number
  readonly sales: bigint
  readonly credits: bigint
  readonly oldest_at: Temporal.Instant | null
  readonly agrees: boolean
}

function closedFrom(row: ClosedRow | undefined): ClosedItems {
  if (!row) throw new Error('Broken promise: a sum has one row')
  const { items, sales, credits, oldest_at, agrees } = row
  return { count: items, salesMinor: sales, creditsMinor: credits, oldestAt: oldest_at, agrees }
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
): Promise<Omit<ClosedItems, 'agrees'>> {
  const [row] = await db.run(sumUnsettledStatement, [record.accountId, record.merchantNumber, from])
  return closedFrom(row && { ...row, agrees: true })
}

type Asked = { readonly record: SettlingRecord; readonly ids: readonly bigint[] | null }

export async function findWrongPayment(tx: Tx, { record, ids }: Asked): Promise<bigint> {
  const { accountId: account, merchantNumber: merchant, currency } = record
  const [row] = await tx.run(findWrongStatement, [account, merchant, currency, 0n, ids])
  assert(row, 'what the books tell differently can be named')
  return row.payment_id
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
