import type { BatchField } from '#capabilities/search/batch-chart.ts'
import { conditionOf, type FieldColumns } from '#capabilities/search/filter-condition.store.ts'
import type { FoundBatch } from '#capabilities/search/found-batch.ts'
import type { Search } from '#capabilities/search/search-records.operation.ts'
import { batchId, type BatchState } from '#capabilities/settlement/batch.ts'
import type { Currency } from '#kernel/currency.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import { runNarrowed, sql } from '#platform/postgres/condition.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const batchColumns = {
  batch_id: int8,
  merchant_number: int4,
  batch_number: int4,
  state: text,
  tx_lock: text,
  currency: text,
  item_count: int4,
  sales_minor: int8,
  credits_minor: int8,
  created_by: text,
  opened_at: timestamptz,
  closed_at: timestamptz,
  finished_at: nullable(timestamptz),
  time_zone: text,
} as const

const searchBatchesStatement = statement(
  'search_batches',
  [int8, nullable(int4), nullable(int8), int4],
  batchColumns,
  `select t.batch_id, t.merchant_number, t.batch_number, t.state, t.tx_lock, t.currency, t.item_count,
     t.sales_minor, t.credits_minor, coalesce(u.alias, t.created_by) as created_by, t.opened_at,
     t.closed_at, t.finished_at, m.time_zone
   from batch t join merchant m using (account_id, merchant_number)
     left join api_user u on u.account_id = t.account_id and u.api_user_id::text = t.created_by
   where t.account_id = $1 and ($2::int4 is null or t.merchant_number = $2)
     and ($3::int8 is null or t.batch_id < $3) and true /* condition */
   order by t.batch_id desc limit $4::int4`,
)

const columns: FieldColumns<BatchField> = {
  merchant: sql`t.merchant_number`,
  status: sql`t.state`,
  created: sql`t.closed_at`,
  batch: sql`t.batch_id`,
  batchNumber: sql`t.batch_number`,
}

// Newest first.
export async function searchBatches(
  db: Queryable,
  { account, merchant, filter, after, most }: Search<BatchField>,
): Promise<readonly FoundBatch[]> {
  const rows = await runNarrowed(db, {
    statement: searchBatchesStatement,
    values: [account, merchant, after && after[0], most],
    condition: conditionOf(filter, columns),
  })
  return rows.map(batchFromRow)
}

function batchFromRow(row: RowOf<typeof batchColumns>): FoundBatch {
  const currency = row.currency as Currency
  return {
    batchId: batchId(row.batch_id),
    merchantNumber: merchantNumber(row.merchant_number),
    batchNumber: row.batch_number,
    state: row.state as BatchState,
    lock: row.tx_lock,
    itemCount: row.item_count,
    sales: { minor: row.sales_minor, currency },
    credits: { minor: row.credits_minor, currency },
    createdBy: row.created_by,
    openedAt: row.opened_at,
    closedAt: row.closed_at,
    finishedAt: row.finished_at,
    timeZone: row.time_zone,
  }
}
