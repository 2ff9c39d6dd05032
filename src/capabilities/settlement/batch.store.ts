import { type Batch, batchId, type BatchId, type BatchState } from '#capabilities/settlement/batch.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { Currency } from '#kernel/currency.ts'
import { accountId, type AccountId, merchantNumber, type MerchantNumber } from '#kernel/ids.ts'
import { int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

export const batchColumns = {
  batch_id: int8,
  account_id: int8,
  merchant_number: int4,
  batch_number: int4,
  state: text,
  acquirer_ref: text,
  tx_lock: text,
  currency: text,
  item_count: int4,
  sales_minor: int8,
  credits_minor: int8,
  card_count: int4,
  card_net_minor: int8,
  content_hash: text,
  result_code: text,
  fence: int4,
  created_by: text,
  opened_at: timestamptz,
  closed_at: timestamptz,
  finished_at: nullable(timestamptz),
} as const

// A batch that a caller has closed tells who that was.
export const selectedOfBatch = `batch_id, account_id, merchant_number, batch_number, state, acquirer_ref,
  tx_lock, currency, item_count, sales_minor, credits_minor, card_count, card_net_minor, content_hash,
  result_code, fence, opened_at, closed_at, finished_at, coalesce((select u.alias from api_user u
    where u.account_id = batch.account_id and u.api_user_id::text = batch.created_by), batch.created_by)
    as created_by`

const drawBatchIdStatement = statement(
  'draw_batch_id',
  [],
  { batch_id: int8 },
  `select nextval('batch_id_seq') as batch_id`,
)

// The account's own counter hands out the numbers, so that no number is used twice and none is left out.
const insertBatchStatement = statement(
  'insert_batch',
  [
    ...([int8, int8, int4, text, text, text, int4, int8, int8, int4, int8] as const),
    ...([timestamptz, text, timestamptz, timestamptz] as const),
  ],
  batchColumns,
  `with counted as (
     insert into batch_counter as c (account_id, last_number) values ($2, 1)
     on conflict (account_id) do update set last_number = c.last_number + 1
     returning last_number
   )
   insert into batch (batch_id, account_id, merchant_number, batch_number, state, acquirer_ref, tx_lock,
     currency, item_count, sales_minor, credits_minor, card_count, card_net_minor, fence, lease_until,
     created_by, opened_at, closed_at)
   select $1, $2, $3, last_number, 'closing', $4, $5, $6, $7, $8, $9, $10, $11, 1, $12, $13, $14, $15
   from counted
   returning ${selectedOfBatch}`,
)

// A record has one group at a time that is not done with.
const findUnfinishedStatement = statement(
  'find_unfinished_batch',
  [int8, int4],
  batchColumns,
  `select ${selectedOfBatch} from batch where account_id = $1 and merchant_number = $2
     and state not in ('accepted', 'released')`,
)

const listLostStatement = statement(
  'list_lost_batches',
  [timestamptz, int4],
  batchColumns,
  `select ${selectedOfBatch} from batch
   where state in ('closing', 'sent', 'unknown') and lease_until <= $1 order by batch_id limit $2::int4`,
)

const takeBatchStatement = statement(
  'take_batch',
  [int8, timestamptz, timestamptz],
  batchColumns,
  `update batch set fence = fence + 1, lease_until = $3
   where batch_id = $1 and state not in ('accepted', 'released') and lease_until <= $2
   returning ${selectedOfBatch}`,
)

// Whoever lost its fence moves nothing. The lease ends when there is a verdict.
const moveBatchStatement = statement(
  'move_batch',
  [int8, int4, text, text, text, text, nullable(timestamptz), nullable(timestamptz)],
  batchColumns,
  `update batch
   set state = $4, content_hash = $5, result_code = $6, finished_at = $7,
     lease_until = coalesce($8, lease_until)
   where batch_id = $1 and fence = $2 and state = $3
   returning ${selectedOfBatch}`,
)

const listBatchesStatement = statement(
  'list_batches',
  [int8, nullable(int4), int4],
  batchColumns,
  `select ${selectedOfBatch} from batch where account_id = $1 and ($2::int4 is null or merchant_number = $2)
   order by batch_id desc limit $3::int4`,
)

const findBatchStatement = statement(
  'find_batch',
  [int8, int8],
  batchColumns,
  `select ${selectedOfBatch} from batch where account_id = $1 and batch_id = $2`,
)

const findNumberedStatement = statement(
  'find_batch_by_number',
  [int8, int4],
  batchColumns,
  `select ${selectedOfBatch} from batch where account_id = $1 and batch_number = $2`,
)

// The index of what is not done with finds them.
const listRejectedStatement = statement(
  'list_rejected_batches',
  [int4],
  { ...batchColumns, account_code: text },
  `select ${selectedOfBatch},
     (select a.account_code from account a where a.account_id = batch.account_id) as account_code
   from batch where state = 'rejected' and state not in ('accepted', 'released')
   order by batch_id limit $1::int4`,
)

export type NewBatch = Omit<
  Batch,
  'batchNumber' | 'state' | 'contentHash' | 'resultCode' | 'fence' | 'finishedAt'
>

export async function drawBatchId(tx: Tx): Promise<BatchId> {
  const [row] = await tx.run(drawBatchIdStatement, [])
  if (!row) throw new Error('Broken promise: a sequence gives a number')
  return batchId(row.batch_id)
}

export async function insertBatch(tx: Tx, batch: NewBatch, leaseUntil: Temporal.Instant): Promise<Batch> {
  const [row] = await tx.run(insertBatchStatement, [
    batch.batchId,
    batch.accountId,
    batch.merchantNumber,
    batch.ref,
    batch.lock,
    batch.currency,
    batch.itemCount,
    batch.sales.minor,
    batch.credits.minor,
    batch.cardCount,
    batch.cardNet.minor,
    leaseUntil,
    batch.createdBy,
    batch.openedAt,
    batch.closedAt,
  ])
  if (!row) throw new Error('Broken promise: a batch that is inserted is returned')
  return batchFromRow(row)
}

type RecordKey = { readonly accountId: AccountId; readonly merchantNumber: MerchantNumber }

export async function findUnfinishedBatch(
  db: Queryable,
  { accountId: account, merchantNumber: merchant }: RecordKey,
): Promise<Batch | null> {
  const [row] = await db.run(findUnfinishedStatement, [account, merchant])
  return row ? batchFromRow(row) : null
}

// Batches whose holder died or whose outcome is not known, of all accounts.
export async function listLostBatches(
  db: Queryable,
  now: Temporal.Instant,
  most: number,
): Promise<readonly Batch[]> {
  return (await db.run(listLostStatement, [now, most])).map(batchFromRow)
}

// The next fence, so that an earlier holder, should it wake, changes nothing. null: somebody has it.
export async function takeBatch(
  db: Queryable,
  { id, now, leaseUntil }: { id: BatchId; now: Temporal.Instant; leaseUntil: Temporal.Instant },
): Promise<Batch | null> {
  const [row] = await db.run(takeBatchStatement, [id, now, leaseUntil])
  return row ? batchFromRow(row) : null
}

export type BatchMove = {
  readonly from: Batch
  readonly to: Pick<Batch, 'state' | 'contentHash' | 'resultCode' | 'finishedAt'>
  // null: its holder goes on.
  readonly leaseUntil: Temporal.Instant | null
}

export async function moveBatch(db: Queryable, { from, to, leaseUntil }: BatchMove): Promise<Batch | null> {
  const { state, contentHash, resultCode, finishedAt } = to
  const [row] = await db.run(moveBatchStatement, [
    from.batchId,
    from.fence,
    from.state,
    state,
    contentHash,
    resultCode,
    finishedAt,
    leaseUntil,
  ])
  return row ? batchFromRow(row) : null
}

// Newest first.
export async function listBatchesOf(
  db: Queryable,
  { account, merchant, most }: { account: AccountId; merchant: MerchantNumber | null; most: number },
): Promise<readonly Batch[]> {
  return (await db.run(listBatchesStatement, [account, merchant, most])).map(batchFromRow)
}

export type RejectedBatch = { readonly batch: Batch; readonly accountCode: string }

export async function listRejectedBatches(db: Queryable, most: number): Promise<readonly RejectedBatch[]> {
  const rows = await db.run(listRejectedStatement, [most])
  return rows.map((row) => ({ batch: batchFromRow(row), accountCode: row.account_code }))
}

export async function findBatch(
  db: Queryable,
  { account, batch }: { account: AccountId; batch: BatchId },
): Promise<Batch | null> {
  const [row] = await db.run(findBatchStatement, [account, batch])
  return row ? batchFromRow(row) : null
}

// Numbers count within an account.
export async function findBatchNumbered(
  db: Queryable,
  { account, number }: { account: AccountId; number: number },
): Promise<Batch | null> {
  const [row] = await db.run(findNumberedStatement, [account, number])
  return row ? batchFromRow(row) : null
}

export function batchFromRow(row: RowOf<typeof batchColumns>): Batch {
  const currency = row.currency as Currency
  return {
    batchId: batchId(row.batch_id),
    accountId: accountId(row.account_id),
    merchantNumber: merchantNumber(row.merchant_number),
    batchNumber: row.batch_number,
    state: row.state as BatchState,
    ref: row.acquirer_ref as AcquirerRef,
    lock: row.tx_lock,
    currency,
    itemCount: row.item_count,
    sales: { minor: row.sales_minor, currency },
    credits: { minor: row.credits_minor, currency },
    cardCount: row.card_count,
    cardNet: { minor: row.card_net_minor, currency },
    contentHash: row.content_hash,
    resultCode: row.result_code,
    fence: row.fence,
    createdBy: row.created_by,
    openedAt: row.opened_at,
    closedAt: row.closed_at,
    finishedAt: row.finished_at,
  }
}
