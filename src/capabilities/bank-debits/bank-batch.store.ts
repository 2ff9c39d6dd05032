import { itemColumns, itemFromRow, itemSelection } from '#capabilities/bank-debits/bank-item.store.ts'
import type { BankItem, BankItemStatus } from '#capabilities/bank-debits/bank-item.ts'
import {
  type Choosing,
  type Joined,
  type Joining,
  longestCloseMs,
} from '#capabilities/settlement/batch-companion.ts'
import type { BankAccountId } from '#engine/vault/vault.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { arrayOf, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { patient, type RowOf, statement } from '#platform/postgres/statement.ts'

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

// What could join a batch, held until it has, with what the books say about it. Each has one posting, of its
// whole sum. A credit goes to the account that the bank has told of its debit by then, and its debit's status
// stands beside it.
const lockCandidatesStatement = patient(
  statement(
    'lock_bank_items_for_batch',
    [int8, int4, text, nullable(arrayOf(int8))],
    {
      attempt_id: int8,
      bank_account_id: int8,
      kind: text,
      total_minor: int8,
      posted_minor: int8,
      debit_status: nullable(text),
    },
    `select b.attempt_id, coalesce(d.corrected_account_id, b.bank_account_id) as bank_account_id, b.kind,
     b.total_minor,
     (select coalesce(sum(case when o.debit = 'acquirer' and o.credit = 'merchant' then o.amount_minor
         when o.debit = 'merchant' and o.credit = 'acquirer' then -o.amount_minor end), 0)::int8
       from posting o where o.attempt_id = b.attempt_id and o.account_id = b.account_id
         and o.merchant_number = b.merchant_number and o.currency = b.currency) as posted_minor,
     d.status as debit_status
   from bank_item b left join bank_item d on d.attempt_id = b.parent_id
   where b.account_id = $1 and b.merchant_number = $2 and b.currency = $3 and b.status = 'open'
     and b.batch_id is null and ($4::int8[] is null or b.attempt_id = any($4))
   order by b.attempt_id for update of b`,
  ),
  longestCloseMs,
)

// Each item gets its trace number, and a credit its account.
const joinBatchStatement = patient(
  statement(
    'join_bank_items_to_batch',
    [int8, arrayOf(int8), text, timestamptz],
    sumColumns,
    `with joined as (
     update bank_item b set batch_id = $1, changed_at = $4,
       trace = $3 || lpad(nextval('bank_trace_seq')::text, 7, '0'),
       bank_account_id = coalesce((select d.corrected_account_id from bank_item d
         where d.attempt_id = b.parent_id), b.bank_account_id)
     where attempt_id = any($2) and status = 'open' and batch_id is null
     returning kind, total_minor, created_at
   )
   select ${sums} from joined`,
  ),
  longestCloseMs,
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

// Before their credits, and in the order in which a file of returns holds them.
const lockDebitsStatement = statement(
  'lock_debits_of_batch',
  [int8],
  itemColumns,
  `select ${itemSelection} from bank_item b
   where b.attempt_id in (select c.parent_id from bank_item c where c.batch_id = $1 and c.kind = 'credit')
   order by b.attempt_id for update`,
)

// The next batch gives them a trace of their own.
const leaveBatchStatement = patient(
  statement(
    'give_back_bank_items_of_batch',
    [int8, timestamptz],
    { items: int4 },
    `with left_it as (
     update bank_item set batch_id = null, trace = null, changed_at = $2
     where batch_id = $1 and status = 'open'
     returning attempt_id
   )
   select count(*)::int4 as items from left_it`,
  ),
  longestCloseMs,
)

const sumUnsettledStatement = statement(
  'sum_unsettled_bank_items',
  [int8, int4],
  sumColumns,
  `select ${sums} from bank_item
   where account_id = $1 and merchant_number = $2 and status = 'open' and batch_id is null`,
)

export type BankRecord = { readonly accountId: AccountId; readonly merchantNumber: MerchantNumber }

export type Candidate = {
  readonly id: bigint
  readonly bankAccountId: BankAccountId
  readonly kind: BankItem['kind']
  readonly totalMinor: bigint
  readonly postedMinor: bigint
  // Of the debit that a credit gives something back of.
  readonly debitStatus: BankItemStatus | null
}

export async function lockCandidates(tx: Tx, { record, ids }: Choosing): Promise<readonly Candidate[]> {
  const { accountId, merchantNumber, currency } = record
  const rows = await tx.run(lockCandidatesStatement, [accountId, merchantNumber, currency, ids])
  return rows.map((row) => ({
    id: row.attempt_id,
    bankAccountId: row.bank_account_id as BankAccountId,
    kind: row.kind as BankItem['kind'],
    totalMinor: row.total_minor,
    postedMinor: row.posted_minor,
    debitStatus: row.debit_status as BankItemStatus | null,
  }))
}

export async function joinBatch(
  tx: Tx,
  { batchId, chosen, at }: Joining,
  originatingBank: string,
): Promise<Joined> {
  const [row] = await tx.run(joinBatchStatement, [batchId, chosen, originatingBank, at])
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

// The debits of the credits in a batch, as they stand now, until the end of the transaction.
export async function lockDebitsOfBatch(tx: Tx, batchId: bigint): Promise<readonly BankItem[]> {
  return (await tx.run(lockDebitsStatement, [batchId])).map(itemFromRow)
}

export async function giveBackBatchItems(tx: Tx, batchId: bigint, at: Temporal.Instant): Promise<number> {
  const [row] = await tx.run(leaveBatchStatement, [batchId, at])
  return row?.items ?? 0
}

export async function sumUnsettledItems(
  db: Queryable,
  { accountId, merchantNumber }: BankRecord,
): Promise<Joined> {
  const [row] = await db.run(sumUnsettledStatement, [accountId, merchantNumber])
  return joinedFrom(row)
}
