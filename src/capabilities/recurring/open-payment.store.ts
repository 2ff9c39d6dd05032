import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { int4, int8 } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// Looks at the newest alone: a number of four digits is not worth reading a whole history.
const openPaymentsStatement = statement(
  'count_open_payments',
  [int8, int4],
  { open: int8 },
  `select count(*) as open from (
     select merchant_number, status, kind from payment where account_id = $1
     order by created_at desc, payment_id desc limit 10000) as newest
   where merchant_number = $2 and status = 'open' and kind in ('sale', 'credit')`,
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
