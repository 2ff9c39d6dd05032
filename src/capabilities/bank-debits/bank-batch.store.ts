import { itemColumns, itemFromRow, itemSelection } from '#capabilities/bank-debits/bank-item.store.ts'
import type { BankItem } from '#capabilities/bank-debits/bank-item.ts'
import type { Joined, Joining } from '#capabilities/settlement/batch-companion.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { arrayOf, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const sumColumns = {
  items: int4,
  debits_minor: int8,
  credits_minor: int8,
  oldest_at: nullable(timestamptz),
} as const

const sums = `count(*)::int4 as items,
     coalesce(sum(total_minor) filter (where kind = 'debit'), 0)::int8 as debits_minor,
     coalesce(sum(total_minor) filter (where kind = 'credit'), 0)::int8 as credits_minor,
     min(created_at) as oldest_at`

// Takes what is open into a batch, all of it or only what is named, and gives each item its trace number.
const joinBatchStatement = statement(
  'join_bank_items_to_batch',
  [int8, int4, int8, nullable(arrayOf(int8)), text, timestamptz],
  sumColumns,
  `with joined as (
     update bank_item set batch_id = $3, changed_at = $6,
       trace = $5 || lpad(nextval('bank_trace_seq')::text, 7, '0')
     where account_id = $1 and merchant_number = $2 and status = 'open' and batch_id is null
       and ($4::int8[] is null or attempt_id = any($4))
     returning kind, total_minor, created_at
   )
   select ${sums} from joined`,
)

const findBatchItemsStatement = statement(
  'find_bank_items_of_batch',
  [int8],
  itemColumns,
  `select ${itemSelection} from bank_item b where b.batch_id = $1 order by b.trace`,
)

const settleBatchStatement = statement(
  'settle_bank_items_of_batch',
  [int8, timestamptz],
  {},
  `update bank_item set status = 'settled', settled_at = $2, changed_at = $2
   where batch_id = $1 and status = 'open'`,
)

const sumUnsettledStatement = statement(
  'sum_unsettled_bank_items',
  [int8, int4],
  sumColumns,
  `select ${sums} from bank_item
   where account_id = $1 and merchant_number = $2 and status = 'open' and batch_id is null`,
)

export type BankRecord = { readonly accountId: AccountId; readonly merchantNumber: MerchantNumber }

export async function joinBatch(
  tx: Tx,
  { batchId, record, ids, at }: Joining,
  originatingBank: string,
): Promise<Joined> {
  const { accountId, merchantNumber } = record
  const [row] = await tx.run(joinBatchStatement, [
    accountId,
    merchantNumber,
    batchId,
    ids,
    originatingBank,
    at,
  ])
  return joinedFrom(row)
}

function joinedFrom(row: RowOf<typeof sumColumns> | undefined): Joined {
  return {
    count: row?.items ?? 0,
    salesMinor: row?.debits_minor ?? 0n,
    creditsMinor: row?.credits_minor ?? 0n,
    oldestAt: row?.oldest_at ?? null,
  }
}

export async function findBatchItems(db: Queryable, batchId: bigint): Promise<readonly BankItem[]> {
  return (await db.run(findBatchItemsStatement, [batchId])).map(itemFromRow)
}

export async function settleBatchItems(tx: Tx, batchId: bigint, at: Temporal.Instant): Promise<void> {
  await tx.run(settleBatchStatement, [batchId, at])
}

export async function sumUnsettledItems(
  db: Queryable,
  { accountId, merchantNumber }: BankRecord,
): Promise<Joined> {
  const [row] = await db.run(sumUnsettledStatement, [accountId, merchantNumber])
  return joinedFrom(row)
}
