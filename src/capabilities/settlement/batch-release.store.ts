import { longestCloseMs, type SettlingRecord } from '#capabilities/settlement/batch-companion.ts'
import { type BatchItem, unsettledFrom } from '#capabilities/settlement/batch-item.store.ts'
import { batchColumns, batchFromRow, selectedOfBatch } from '#capabilities/settlement/batch.store.ts'
import { type Batch, batchId, type BatchId } from '#capabilities/settlement/batch.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { bool, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { patient, statement } from '#platform/postgres/statement.ts'

const listUnsettledStatement = statement(
  'list_unsettled_items',
  [int8, int4, text, int8],
  { payment_id: int8, acquirer_ref: text, total_minor: int8, is_credit: bool, created_at: timestamptz },
  `select p.payment_id, p.acquirer_ref, p.total_minor, p.kind = 'credit' as is_credit, p.created_at
   from payment p
   where p.account_id = $1 and p.merchant_number = $2 and p.currency = $3 and p.taken_by is null
     and ${unsettledFrom('$4')}
   order by p.payment_id`,
)

const giveBackStatement = patient(
  statement(
    'give_back_items_of_batch',
    [int8],
    { items: int4 },
    `with left_it as (
       delete from batch_item where batch_id = $1 returning payment_id
     )
     select count(*)::int4 as items from left_it`,
  ),
  longestCloseMs,
)

const insertReleaseStatement = statement(
  'insert_batch_release',
  [int8, text, text, int4, int4, timestamptz],
  {},
  `insert into batch_release (batch_id, decided_by, reason, settled_count, given_back_count, released_at)
   values ($1, $2, $3, $4, $5, $6)`,
)

const findReleaseStatement = statement(
  'find_batch_release',
  [int8],
  { decided_by: text, reason: text, settled_count: int4, given_back_count: int4, released_at: timestamptz },
  `select decided_by, reason, settled_count, given_back_count, released_at
   from batch_release where batch_id = $1`,
)

const findByRefStatement = statement(
  'find_batch_by_ref',
  [text],
  { ...batchColumns, learned_from: nullable(int8) },
  `select ${selectedOfBatch}, learned_from from batch where acquirer_ref = $1`,
)

const acceptLearnedStatement = statement(
  'accept_learned_batch',
  [int8, text, timestamptz, int8],
  batchColumns,
  `update batch set state = 'accepted', result_code = $2, finished_at = $3, learned_from = $4
   where batch_id = $1 and state = 'closing'
   returning ${selectedOfBatch}`,
)

// Only what was learned grows: of a batch that was closed here everything is known.
const extendLearnedStatement = statement(
  'extend_learned_batch',
  [int8, int4, int8, int8, timestamptz],
  batchColumns,
  `update batch
   set item_count = item_count + $2, card_count = card_count + $2, sales_minor = sales_minor + $3,
     credits_minor = credits_minor + $4, card_net_minor = card_net_minor + $3 - $4,
     opened_at = least(opened_at, $5), fence = fence + 1
   where batch_id = $1 and state = 'accepted' and learned_from is not null
   returning ${selectedOfBatch}`,
)

export type UnsettledItem = BatchItem & { readonly createdAt: Temporal.Instant }

// What a close would take; nothing below `from` is unsettled.
export async function listUnsettledItems(
  db: Queryable,
  { accountId: account, merchantNumber: merchant, currency }: SettlingRecord,
  from: bigint,
): Promise<readonly UnsettledItem[]> {
  const rows = await db.run(listUnsettledStatement, [account, merchant, currency, from])
  return rows.map((row) => ({
    paymentId: row.payment_id,
    ref: row.acquirer_ref as AcquirerRef,
    totalMinor: row.total_minor,
    isCredit: row.is_credit,
    createdAt: row.created_at,
  }))
}

// Answers how many there were.
export async function giveBackItems(tx: Tx, batch: BatchId): Promise<number> {
  const [row] = await tx.run(giveBackStatement, [batch])
  return row?.items ?? 0
}

export type Release = {
  readonly operator: string
  readonly reason: string
  readonly settledCount: number
  readonly givenBackCount: number
  readonly at: Temporal.Instant
}

export async function insertRelease(tx: Tx, batch: BatchId, release: Release): Promise<void> {
  const { operator, reason, settledCount, givenBackCount, at } = release
  await tx.run(insertReleaseStatement, [batch, operator, reason, settledCount, givenBackCount, at])
}

export async function findRelease(db: Queryable, batch: BatchId): Promise<Release | null> {
  const [row] = await db.run(findReleaseStatement, [batch])
  if (!row) return null
  return {
    operator: row.decided_by,
    reason: row.reason,
    settledCount: row.settled_count,
    givenBackCount: row.given_back_count,
    at: row.released_at,
  }
}

export type KnownBatch = { readonly batch: Batch; readonly learnedFrom: BatchId | null }

export async function findBatchByRef(db: Queryable, ref: AcquirerRef): Promise<KnownBatch | null> {
  const [row] = await db.run(findByRefStatement, [ref])
  if (!row) return null
  return {
    batch: batchFromRow(row),
    learnedFrom: row.learned_from === null ? null : batchId(row.learned_from),
  }
}

type Learned = {
  readonly resultCode: string
  readonly at: Temporal.Instant
  readonly learnedFrom: BatchId
}

export async function acceptLearned(
  tx: Tx,
  batch: BatchId,
  { resultCode, at, learnedFrom }: Learned,
): Promise<Batch | null> {
  const [row] = await tx.run(acceptLearnedStatement, [batch, resultCode, at, learnedFrom])
  return row ? batchFromRow(row) : null
}

type Growth = {
  readonly count: number
  readonly salesMinor: bigint
  readonly creditsMinor: bigint
  readonly oldestAt: Temporal.Instant
}

export async function extendLearned(
  tx: Tx,
  batch: BatchId,
  { count, salesMinor, creditsMinor, oldestAt }: Growth,
): Promise<Batch | null> {
  const [row] = await tx.run(extendLearnedStatement, [batch, count, salesMinor, creditsMinor, oldestAt])
  return row ? batchFromRow(row) : null
}
