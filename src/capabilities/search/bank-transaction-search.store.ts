import type { BankTransactionField } from '#capabilities/search/bank-transaction-chart.ts'
import { conditionOf, type FieldColumns } from '#capabilities/search/filter-condition.store.ts'
import type { FoundBankTransaction } from '#capabilities/search/found-bank-transaction.ts'
import { momentOf } from '#capabilities/search/position.ts'
import type { Search } from '#capabilities/search/search-records.operation.ts'
import type { PaymentDetails } from '#engine/payments/attempt.ts'
import type { Currency } from '#kernel/currency.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { bool, int4, int8, jsonb, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import { runNarrowed, sql } from '#platform/postgres/condition.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const bankColumns = {
  attempt_id: int8,
  merchant_number: int4,
  kind: text,
  parent_id: nullable(int8),
  status: text,
  total_minor: int8,
  credited_minor: int8,
  currency: text,
  last_four: text,
  is_savings: bool,
  is_business: bool,
  authorization_id: text,
  reference: text,
  return_code: text,
  batch_id: nullable(int8),
  batch_number: nullable(int4),
  details: jsonb,
  settled_at: nullable(timestamptz),
  resolved_at: nullable(timestamptz),
  created_at: timestamptz,
} as const

const searchBankStatement = statement(
  'search_bank_transactions',
  [int8, nullable(int4), nullable(timestamptz), nullable(int8), int4],
  bankColumns,
  `select b.attempt_id, b.merchant_number, b.kind, coalesce(b.parent_id, (
       select v.attempt_id from attempt v where b.status = 'void' and v.acquirer_ref = b.voided_by
     )) as parent_id, b.status, b.total_minor, b.credited_minor, b.currency, v.last_four,
     v.type = 'savings' as is_savings, v.is_business, b.authorization_id,
     b.reference, b.return_code, b.batch_id, t.batch_number, b.details, b.settled_at, b.resolved_at,
     b.created_at
   from bank_item b
     join vault_bank_account v on v.bank_account_id = b.bank_account_id and v.account_id = b.account_id
     left join batch t on t.batch_id = b.batch_id and t.account_id = b.account_id
   where b.account_id = $1 and ($2::int4 is null or b.merchant_number = $2)
     and ($3::timestamptz is null or (b.created_at, b.attempt_id) < ($3, $4::int8)) and true /* condition */
   order by b.created_at desc, b.attempt_id desc limit $5::int4`,
)

// The network moves dollars only, which have two decimals.
const columns: FieldColumns<BankTransactionField> = {
  merchant: sql`b.merchant_number`,
  status: sql`b.status`,
  created: sql`b.created_at`,
  lastName: sql`lower(b.details ->> 'holderLastName')`,
  lock: sql`lower(coalesce(t.tx_lock, '0'))`,
  transaction: sql`b.attempt_id`,
  firstName: sql`lower(b.details ->> 'holderFirstName')`,
  type: sql`b.kind`,
  amount: sql`b.total_minor * 10`,
  clientRef: sql`lower(b.details ->> 'clientRef')`,
  guid: sql`lower(b.details ->> 'guid')`,
  consent: {
    ...sql`(b.details ->> 'consentId')`,
    number: sql`coalesce(nullif(b.details ->> 'consentId', '')::int8, 0)`,
  },
  lastFour: sql`v.last_four`,
  approvalCode: sql`lower(b.authorization_id)`,
  customerLastName: sql`lower(b.details ->> 'customerLastName')`,
  customerFirstName: sql`lower(b.details ->> 'customerFirstName')`,
  origin: sql`lower(b.details ->> 'origin')`,
}

// Newest first.
export async function searchBankTransactions(
  db: Queryable,
  { account, merchant, filter, after, most }: Search<BankTransactionField>,
): Promise<readonly FoundBankTransaction[]> {
  const rows = await runNarrowed(db, {
    statement: searchBankStatement,
    values: [account, merchant, after && momentOf(after), after && after[1], most],
    condition: conditionOf(filter, columns),
  })
  return rows.map(bankTransactionFromRow)
}

function bankTransactionFromRow(row: RowOf<typeof bankColumns>): FoundBankTransaction {
  const currency = row.currency as Currency
  const { batch_id: batchId, batch_number: batchNumber } = row
  return {
    ...(row.details as PaymentDetails),
    transactionId: row.attempt_id,
    merchantNumber: merchantNumber(row.merchant_number),
    kind: row.kind,
    status: row.status,
    total: { minor: row.total_minor, currency },
    credited: { minor: row.credited_minor, currency },
    parentId: row.parent_id,
    lastFour: row.last_four,
    isSavings: row.is_savings,
    isBusiness: row.is_business,
    authorizationId: row.authorization_id,
    reference: row.reference,
    returnCode: row.return_code,
    batch: batchId === null || batchNumber === null ? null : { batchId, batchNumber },
    settledAt: row.settled_at,
    resolvedAt: row.resolved_at,
    createdAt: row.created_at,
  }
}
