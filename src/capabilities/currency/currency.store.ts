import { type AccountId, merchantNumber, type MerchantNumber } from '#kernel/ids.ts'
import { arrayOf, int4, int8, nullable, text } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const findOwnersStatement = statement(
  'find_owners',
  [int8, nullable(int4), text, arrayOf(int8), arrayOf(text)],
  { merchant_number: int4, currency: text },
  `select distinct t.merchant_number, t.currency
   from (
     select merchant_number, currency from merchant
     where $3 = 'record' and account_id = $1 and merchant_number = any ($4::int8[])
     union all select merchant_number, currency from consent
     where $3 = 'consent' and account_id = $1 and consent_id = any ($4::int8[])
     union all select merchant_number, currency from attempt
     where $3 = 'transaction' and account_id = $1 and attempt_id = any ($4::int8[])
     union all select merchant_number, currency from instalment
     where $3 = 'schedules' and account_id = $1 and instalment_id = any ($4::int8[])
     union all select merchant_number, currency from card_order
     where $3 = 'order' and account_id = $1 and transaction_id = any ($5)
     union all select merchant_number, currency from card_order
     where $3 = 'token' and account_id = $1 and consent_token = any ($5) and consent_token <> ''
   ) t
   where $2::int4 is null or t.merchant_number = $2`,
)

export type OwnerKey = {
  readonly account: AccountId
  // The only merchant record whose things count; null: all of the account.
  readonly only: MerchantNumber | null
  readonly kind: string
  readonly ids: readonly bigint[]
  readonly names: readonly string[]
}

export type Owner = { readonly merchantNumber: MerchantNumber; readonly currency: string }

// Of those of the things that there are; of most calls one, or none when the thing is not the caller's.
export async function findOwners(
  db: Queryable,
  { account, only, kind, ids, names }: OwnerKey,
): Promise<readonly Owner[]> {
  const rows = await db.run(findOwnersStatement, [account, only, kind, [...ids], [...names]])
  return rows.map(({ merchant_number, currency }) => ({
    merchantNumber: merchantNumber(merchant_number),
    currency,
  }))
}
