import type { Dispute, DisputedSale, DisputeState } from '#capabilities/disputes/dispute.ts'
import { attemptId } from '#engine/payments/attempt.ts'
import type { Currency } from '#kernel/currency.ts'
import { accountId, type AccountId, merchantNumber } from '#kernel/ids.ts'
import { arrayOf, bool, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
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
    credited_minor: int8,
    is_given_back: bool,
  },
  `select a.attempt_id, a.account_id, a.merchant_number, a.acquirer_ref, a.created_at, d.state,
     a.credited_minor, coalesce(a.status = 'void', false) or a.credited_minor >= a.approved_minor
       as is_given_back
   from attempt a left join dispute d on d.payment_id = a.attempt_id
   where a.acquirer_ref = any($1) and a.kind = 'sale' and a.state in ('approved', 'partial')
     and (d.state is null or d.state = 'open')`,
)

// In the order in which voids and credits lock an order and its sale.
const lockOrderStatement = statement(
  'lock_order_of_disputed_sale',
  [text],
  { order_id: int8 },
  `select order_id from card_order where sale_ref = $1 for no key update`,
)

// Nothing when somebody else has recorded it, and nothing when the sale is not as it was read, or somebody is
// about to give it back: then the acquirer tells of another sale than ours. Whoever wants to give it back
// waits for this lock and looks at disputes afterwards.
const openDisputeStatement = statement(
  'lock_sale_and_open_dispute',
  [int8, int8, int4, text, int8, text, timestamptz, int8],
  { payment_id: int8 },
  `with sale as (
     select p.payment_id from payment p
     where p.payment_id = $1 and p.account_id = $2 and p.status = 'open' and p.taken_by is null
       and p.credited_minor = $8 and p.credited_minor < p.total_minor
     for no key update
   )
   insert into dispute (payment_id, account_id, merchant_number, reason_code, amount_minor, currency, state,
     opened_at)
   select s.payment_id, $2, $3, $4, $5, $6, 'open', $7 from sale s
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
        creditedMinor: row.credited_minor,
        isGivenBack: row.is_given_back,
      },
    ]),
  )
}

// Answers whether it is open now and was not before.
export async function lockAndOpenDispute(
  tx: Tx,
  { ref, creditedMinor }: DisputedSale,
  { paymentId, accountId: account, merchantNumber: merchant, reasonCode, amount, openedAt }: Dispute,
): Promise<boolean> {
  await tx.run(lockOrderStatement, [ref])
  const values = [paymentId, account, merchant, reasonCode, amount.minor, amount.currency, openedAt] as const
  return (await tx.run(openDisputeStatement, [...values, creditedMinor])).length > 0
}

// Answers whether it is closed now and was not before.
export async function closeDispute(
  tx: Tx,
  { paymentId, state, openedAt, closedAt }: Dispute,
): Promise<boolean> {
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
