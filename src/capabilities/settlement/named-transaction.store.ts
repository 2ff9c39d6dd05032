import type { SettlingRecord } from '#capabilities/settlement/batch-companion.ts'
import type { AttemptKind, AttemptState } from '#engine/payments/attempt.ts'
import { arrayOf, bool, int4, int8, nullable, text } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// Whatever it is, so that the record's own ids are told from others.
const readNamedStatement = statement(
  'read_named_transactions',
  [int8, int4, arrayOf(int8)],
  {
    attempt_id: int8,
    kind: text,
    state: text,
    status: nullable(text),
    is_zero: bool,
    is_order: bool,
    is_taken: bool,
    currency: text,
    is_in_batch: bool,
    batch_number: nullable(int4),
  },
  `select a.attempt_id, a.kind, a.state, a.status, coalesce(p.total_minor, 0) = 0 as is_zero,
     a.details ? 'orderId' as is_order, a.taken_by is not null as is_taken, a.currency,
     b.batch_id is not null as is_in_batch, t.batch_number
   from attempt a left join payment p on p.payment_id = a.attempt_id
     left join batch_item b on b.payment_id = a.attempt_id left join batch t using (batch_id)
   where a.account_id = $1 and a.merchant_number = $2 and a.attempt_id = any($3)`,
)

export type NamedTransaction = {
  readonly id: bigint
  readonly kind: AttemptKind
  readonly state: AttemptState
  // null: it is no payment, or none yet.
  readonly status: string | null
  readonly isZero: boolean
  readonly isOrder: boolean
  readonly isTaken: boolean
  readonly currency: string
  readonly isInBatch: boolean
  readonly batchNumber: number | null
}

export async function readNamed(
  db: Queryable,
  { accountId: account, merchantNumber: merchant }: SettlingRecord,
  ids: readonly bigint[],
): Promise<readonly NamedTransaction[]> {
  const rows = await db.run(readNamedStatement, [account, merchant, ids])
  return rows.map((row) => ({
    id: row.attempt_id,
    kind: row.kind as AttemptKind,
    state: row.state as AttemptState,
    status: row.status,
    isZero: row.is_zero,
    isOrder: row.is_order,
    isTaken: row.is_taken,
    currency: row.currency,
    isInBatch: row.is_in_batch,
    batchNumber: row.batch_number,
  }))
}
