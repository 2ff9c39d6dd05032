import { conditionOf, type FieldColumns } from '#capabilities/search/filter-condition.store.ts'
import type {
  BatchOfTransaction,
  DisputeOfTransaction,
  FoundTransaction,
  TransactionStatus,
} from '#capabilities/search/found-transaction.ts'
import type { TransactionField } from '#capabilities/search/transaction-chart.ts'
import { momentOf } from '#capabilities/search/position.ts'
import type { Search } from '#capabilities/search/search-records.operation.ts'
import type { BatchState } from '#capabilities/settlement/batch.ts'
import type { PaymentDetails } from '#engine/payments/attempt.ts'
import { currenciesWith, type Currency } from '#kernel/currency.ts'
import { merchantNumber } from '#kernel/ids.ts'
import {
  arrayOf,
  bool,
  int4,
  int8,
  jsonb,
  nullable,
  text,
  timestamptz,
} from '#platform/postgres/column-type.ts'
import { bind, runNarrowed, sql } from '#platform/postgres/condition.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const transactionColumns = {
  payment_id: int8,
  merchant_number: int4,
  kind: text,
  parent_id: nullable(int8),
  status: text,
  total_minor: int8,
  fee_minor: int8,
  currency: text,
  result_code: text,
  avs: text,
  cvv: text,
  is_partial: bool,
  credited_minor: int8,
  batch_id: nullable(int8),
  batch_number: nullable(int4),
  batch_state: nullable(text),
  tx_lock: nullable(text),
  disputed_at: nullable(timestamptz),
  dispute_reason: nullable(text),
  dispute_state: nullable(text),
  details: jsonb,
  consent_id: text,
  changed_by: text,
  created_at: timestamptz,
  changed_at: timestamptz,
} as const

// Payments, and attempts that may still become one: who asks for a transaction must not be told that there is
// none while its outcome is not known. Both are read from their table at once, so that an index finds the
// newest. Whoever voided a sale, or credited it last, has changed it last. What was to begin a consent and is
// not approved has left none.
const searchTransactionsStatement = statement(
  'search_transactions',
  [int8, nullable(int4), nullable(timestamptz), nullable(int8), int4],
  transactionColumns,
  `select f.payment_id, f.merchant_number, f.kind, coalesce(f.parent_id, v.attempt_id) as parent_id, f.status,
     f.total_minor, f.fee_minor, f.currency, f.result_code, f.avs, f.cvv, f.is_partial, f.credited_minor,
     f.batch_id, f.batch_number, f.batch_state, f.tx_lock, d.opened_at as disputed_at,
     d.reason_code as dispute_reason, d.state as dispute_state, f.details, f.consent_id,
     coalesce(nullif(coalesce(v.details, c.details, f.details) ->> 'user', ''), u.alias, 'AUTO')
       as changed_by, f.created_at, f.changed_at
   from (
     select p.payment_id, p.merchant_number, p.kind, p.parent_id, p.status, p.total_minor, p.fee_minor,
       p.currency, p.result_code, p.avs, p.cvv, p.is_partial, p.credited_minor, p.details, p.consent_id,
       p.taken_by, p.created_at, p.changed_at, b.batch_id, t.batch_number, t.state as batch_state, t.tx_lock
     from (
       select a.attempt_id as payment_id, a.account_id, a.merchant_number, a.kind, a.parent_id,
         coalesce(a.status, 'pending') as status,
         case when a.status <> 'failed' then a.approved_minor else a.total_minor end as total_minor,
         case when a.status <> 'failed' then a.approved_fee_minor else a.fee_minor end as fee_minor,
         a.currency, a.approval_code, a.result_code, a.avs, a.cvv, a.state = 'partial' as is_partial,
         a.credited_minor, a.details, a.taken_by, a.created_at,
         case when a.state <> 'approved' and a.following @> '[["new_consent"]]' then ''
           else coalesce(a.details ->> 'consentId', '') end as consent_id,
         coalesce(a.changed_at, a.created_at) as changed_at
       from attempt a
       where a.status is not null or a.kind in ('sale', 'credit')
         and a.state in ('sending', 'unknown', 'reversal_due', 'reversing', 'manual')
     ) p
       left join batch_item b on b.payment_id = p.payment_id
       left join batch t on t.batch_id = b.batch_id and t.account_id = p.account_id
     where p.account_id = $1 and ($2::int4 is null or p.merchant_number = $2)
       and ($3::timestamptz is null or (p.created_at, p.payment_id) < ($3, $4::int8)) and true /* condition */
     order by p.created_at desc, p.payment_id desc limit $5::int4
   ) f
     left join dispute d on d.payment_id = f.payment_id
     left join attempt v on f.status = 'void' and v.acquirer_ref = f.taken_by
     left join lateral (
       select l.details from attempt l
       where f.credited_minor > 0 and l.parent_id = f.payment_id and l.kind = 'credit'
         and l.state in ('approved', 'partial')
       order by l.changed_at desc, l.attempt_id desc limit 1
     ) c on true
     left join api_user u
       on u.api_user_id = nullif(coalesce(v.details, c.details, f.details) ->> 'userId', '')::int8
   order by f.created_at desc, f.payment_id desc`,
)

// In a batch a transaction is settled once the acquirer has accepted it, and locked before.
const columns: FieldColumns<TransactionField> = {
  merchant: sql`p.merchant_number`,
  // Orders of international records are settled by the bank, in no batch.
  status: sql`case when t.batch_id is null then
      case when p.status = 'open' and p.details ? 'orderId' then 'settled' else p.status end
    when t.state = 'accepted' then 'settled' else 'locked' end`,
  created: sql`p.created_at`,
  lastName: sql`lower(p.details ->> 'holderLastName')`,
  lock: sql`lower(coalesce(t.tx_lock, '0'))`,
  batch: { ...sql`coalesce(b.batch_id, 0)`, bare: sql`b.batch_id` },
  transaction: sql`p.payment_id`,
  firstName: sql`lower(p.details ->> 'holderFirstName')`,
  type: sql`p.kind`,
  amount: sql`p.total_minor * case
    when p.currency = any(${bind(arrayOf(text), currenciesWith(0))}) then 1000
    when p.currency = any(${bind(arrayOf(text), currenciesWith(3))}) then 1
    else 10 end`,
  clientRef: sql`lower(p.details ->> 'clientRef')`,
  guid: sql`lower(p.details ->> 'guid')`,
  consent: {
    ...sql`p.consent_id`,
    led: sql`(p.details ->> 'consentId')`,
    number: sql`coalesce(nullif(p.consent_id, '')::int8, 0)`,
  },
  lastFour: { ...sql`(p.details ->> 'lastFour')`, start: sql`left(p.details ->> 'lastFour', 2)` },
  approvalCode: sql`lower(p.approval_code)`,
  customerLastName: sql`lower(p.details ->> 'customerLastName')`,
  customerFirstName: sql`lower(p.details ->> 'customerFirstName')`,
  origin: sql`lower(p.details ->> 'origin')`,
  batchNumber: { ...sql`coalesce(t.batch_number, 0)`, bare: sql`t.batch_number` },
}

// Newest first.
export async function searchTransactions(
  db: Queryable,
  { account, merchant, filter, after, most }: Search<TransactionField>,
): Promise<readonly FoundTransaction[]> {
  const rows = await runNarrowed(db, {
    statement: searchTransactionsStatement,
    values: [account, merchant, after && momentOf(after), after && after[1], most],
    condition: conditionOf(filter, columns),
  })
  return rows.map(transactionFromRow)
}

type TransactionRow = RowOf<typeof transactionColumns>

function transactionFromRow(row: TransactionRow): FoundTransaction {
  const currency = row.currency as Currency
  const details = row.details as PaymentDetails
  return {
    ...details,
    consentId: row.consent_id,
    user: row.changed_by,
    transactionId: row.payment_id,
    merchantNumber: merchantNumber(row.merchant_number),
    kind: row.kind,
    status: statusOf(row),
    total: { minor: row.total_minor, currency },
    fee: { minor: row.fee_minor, currency },
    credited: { minor: row.credited_minor, currency },
    parentId: row.parent_id,
    resultCode: row.result_code,
    avs: row.avs,
    cvv: row.cvv,
    isPartial: row.is_partial,
    batch: batchOf(row),
    dispute: disputeOf(row),
    createdAt: row.created_at,
    changedAt: row.changed_at,
  }
}

function statusOf({ status, batch_state, details }: TransactionRow): TransactionStatus {
  const isOrder = (details as PaymentDetails).orderId !== undefined
  if (status === 'open' && isOrder) return 'settled'
  if (batch_state === null) return status as TransactionStatus
  return batch_state === 'accepted' ? 'settled' : 'locked'
}

function batchOf(row: TransactionRow): BatchOfTransaction | null {
  const { batch_id: id, batch_number: number, batch_state: state, tx_lock: lock } = row
  if (id === null || number === null || state === null || lock === null) return null
  return { batchId: id, batchNumber: number, state: state as BatchState, lock }
}

function disputeOf(row: TransactionRow): DisputeOfTransaction | null {
  const { disputed_at: openedAt, dispute_reason: reasonCode, dispute_state: state } = row
  return openedAt && reasonCode !== null && state !== null ? { openedAt, reasonCode, state } : null
}
