import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { int4, int8 } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// Looks at the newest alone: a number of four digits is not worth reading a whole history. What is in a
// batch, also in one that failed, has its place there. An order is in no batch, and waits for the bank's
// cut-off.
const openPaymentsStatement = statement(
  'count_open_payments',
  [int8, int4],
  { open: int8 },
  `select (
     select count(*) from (
       select payment_id, merchant_number, status, kind, total_minor, details ? 'orderId' as is_order
       from payment where account_id = $1 order by created_at desc, payment_id desc limit 10000) as newest
     where merchant_number = $2 and status = 'open' and kind in ('sale', 'credit') and total_minor > 0
       and not is_order
       and not exists (select 1 from batch_item b where b.payment_id = newest.payment_id)
   ) + (
     select count(*) from (
       select 1 from order_record
       where account_id = $1 and merchant_number = $2 and awaits_bank limit 10000) as waiting
   ) as open`,
)

// How many of the account's newest payments are of this record and wait to be settled.
export async function countOpenPayments(
  db: Queryable,
  account: AccountId,
  merchant: MerchantNumber,
): Promise<number> {
  const [row] = await db.run(openPaymentsStatement, [account, merchant])
  return Number(row?.open ?? 0n)
}
