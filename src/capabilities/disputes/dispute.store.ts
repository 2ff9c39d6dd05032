import type { Dispute, DisputedSale, DisputeState } from '#capabilities/disputes/dispute.ts'
import { attemptId } from '#engine/payments/attempt.ts'
import type { Currency } from '#kernel/currency.ts'
import { accountId, type AccountId, merchantNumber } from '#kernel/ids.ts'
import { arrayOf, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const findUnfinishedStatement = statement(
  'find_unfinished_disputed_sales',
  [arrayOf(text)],
  {
    attempt_id: int8,
    account_id: int8,
    merchant_number: int4,
    acquirer_ref: text,
    created_at: timestamptz,
    state: nullable(text),
  },
  `select a.attempt_id, a.account_id, a.merchant_number, a.acquirer_ref, a.created_at, d.state
   from attempt a left join dispute d on d.payment_id = a.attempt_id
   where a.acquirer_ref = any($1) and a.kind = 'sale' and a.state in ('approved', 'partial')
     and (d.state is null or d.state = 'open')`,
)

// Nothing when somebody else has recorded it.
const openDisputeStatement = statement(
  'open_dispute',
  [int8, int8, int4, text, int8, text, timestamptz],
  { payment_id: int8 },
  `insert into dispute (payment_id, account_id, merchant_number, reason_code, amount_minor, currency, state,
     opened_at)
   values ($1, $2, $3, $4, $5, $6, 'open', $7)
   on conflict (payment_id) do nothing
   returning payment_id`,
)

const closeDisputeStatement = statement(
  'close_dispute',
  [int8, text, timestamptz],
  { payment_id: int8 },
  `update dispute set state = $2, closed_at = $3 where payment_id = $1 and state = 'open' returning payment_id`,
)

const listDisputesStatement = statement(
  'list_disputes',
  [int8, int4],
  {
    payment_id: int8,
    account_id: int8,
    merchant_number: int4,
    reason_code: text,
    amount_minor: int8,
    currency: text,
    state: text,
    opened_at: timestamptz,
    closed_at: nullable(timestamptz),
  },
  `select payment_id, account_id, merchant_number, reason_code, amount_minor, currency, state, opened_at,
     closed_at
   from dispute where account_id = $1 order by opened_at desc, payment_id desc limit $2::int4`,
)

// Without those whose dispute is decided. For the collector, which works for all accounts.
export async function findUnfinishedSales(
  db: Queryable,
  refs: readonly string[],
): Promise<ReadonlyMap<string, DisputedSale>> {
  const rows = await db.run(findUnfinishedStatement, [refs])
  return new Map(
    rows.map((row) => [
      row.acquirer_ref,
      {
        paymentId: attemptId(row.attempt_id),
        accountId: accountId(row.account_id),
        merchantNumber: merchantNumber(row.merchant_number),
        ref: row.acquirer_ref,
        createdAt: row.created_at,
        state: row.state as DisputeState | null,
      },
    ]),
  )
}

// Answers whether it is recorded now and was not before.
export async function recordDispute(tx: Tx, dispute: Dispute): Promise<boolean> {
  const { paymentId, reasonCode, amount, state, openedAt, closedAt } = dispute
  if (state === 'open') {
    const values = [paymentId, dispute.accountId, dispute.merchantNumber, reasonCode] as const
    const rows = await tx.run(openDisputeStatement, [...values, amount.minor, amount.currency, openedAt])
    return rows.length > 0
  }
  return (await tx.run(closeDisputeStatement, [paymentId, state, closedAt ?? openedAt])).length > 0
}

// Newest first.
export async function listDisputesOf(
  db: Queryable,
  account: AccountId,
  most: number,
): Promise<readonly Dispute[]> {
  const rows = await db.run(listDisputesStatement, [account, most])
  return rows.map((row) => ({
    paymentId: attemptId(row.payment_id),
    accountId: accountId(row.account_id),
    merchantNumber: merchantNumber(row.merchant_number),
    reasonCode: row.reason_code,
    amount: { minor: row.amount_minor, currency: row.currency as Currency },
    state: row.state as DisputeState,
    openedAt: row.opened_at,
    closedAt: row.closed_at,
  }))
}
