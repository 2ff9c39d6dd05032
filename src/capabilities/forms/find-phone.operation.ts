import { findFormSetting } from '#capabilities/forms/form-setting.store.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import type { Queryable } from '#platform/postgres/database.ts'

type MerchantRecord = { readonly account: AccountId; readonly merchant: MerchantNumber }

// Where payers can call the merchant; empty when it is not told.
export async function findPhone({ db }: { readonly db: Queryable }, record: MerchantRecord): Promise<string> {
  return (await findFormSetting(db, record)).phone
}
