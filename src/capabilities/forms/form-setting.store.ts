import { brandsIn, wordsIn } from '#capabilities/forms/stored-lists.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { bool, int4, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const findFormSettingStatement = statement(
  'find_form_setting',
  [int8, int4],
  { phone: text, origins: text, brands: text },
  `select phone, origins, brands from form_setting where account_id = $1 and merchant_number = $2`,
)

const putFormSettingStatement = statement(
  'put_form_setting',
  [int8, int4, text, text, text, timestamptz],
  {},
  `insert into form_setting (account_id, merchant_number, phone, origins, brands, changed_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict (account_id, merchant_number)
   do update set phone = excluded.phone, origins = excluded.origins, brands = excluded.brands,
     changed_at = excluded.changed_at`,
)

const addIntegratorKeyStatement = statement(
  'add_integrator_key',
  [int8, text, text, timestamptz],
  { key_index: text },
  `insert into integrator_key (account_id, key_index, salt, created_at) values ($1, $2, $3, $4)
   on conflict (account_id, key_index) do nothing
   returning key_index`,
)

const putSaltStatement = statement(
  'put_integrator_key_salt',
  [int8, text, text, timestamptz],
  {},
  `insert into integrator_key (account_id, key_index, salt, created_at) values ($1, $2, $3, $4)
   on conflict (account_id, key_index) do update set salt = excluded.salt, created_at = excluded.created_at`,
)

const listIntegratorKeysStatement = statement(
  'list_integrator_keys',
  [int8],
  { key_index: text, salt: text, is_enabled: bool, created_at: timestamptz },
  `select key_index, salt, is_enabled, created_at from integrator_key where account_id = $1 order by 1`,
)

const disableIntegratorKeyStatement = statement(
  'disable_integrator_key',
  [int8, text],
  { key_index: text },
  `update integrator_key set is_enabled = false where account_id = $1 and key_index = $2 and is_enabled
   returning key_index`,
)

export type FormSetting = {
  // As the payer can call it; empty when it is not told.
  readonly phone: string
  readonly origins: readonly string[]
  // Card networks that the record takes; empty: all.
  readonly brands: readonly CardBrand[]
}
type RecordKey = { readonly account: AccountId; readonly merchant: MerchantNumber }

export async function findFormSetting(db: Queryable, { account, merchant }: RecordKey): Promise<FormSetting> {
  const [row] = await db.run(findFormSettingStatement, [account, merchant])
  if (!row) return { phone: '', origins: [], brands: [] }
  return { phone: row.phone, origins: wordsIn(row.origins), brands: brandsIn(row.brands) }
}

export async function putFormSetting(
  db: Queryable,
  setting: RecordKey & FormSetting & { readonly at: Temporal.Instant },
): Promise<void> {
  const { account, merchant, phone, origins, brands, at } = setting
  const values = [account, merchant, phone, origins.join(' '), brands.join(' '), at] as const
  await db.run(putFormSettingStatement, values)
}

export type IntegratorKey = {
  readonly index: string
  readonly salt: string
  readonly isEnabled: boolean
  readonly createdAt: Temporal.Instant
}

type NewKey = {
  readonly account: AccountId
  readonly index: string
  readonly salt: string
  readonly at: Temporal.Instant
}

// Whatever salt was there is gone.
export async function putSalt(db: Queryable, { account, index, salt, at }: NewKey): Promise<void> {
  await db.run(putSaltStatement, [account, index, salt, at])
}

export async function addKey(db: Queryable, { account, index, salt, at }: NewKey): Promise<boolean> {
  return (await db.run(addIntegratorKeyStatement, [account, index, salt, at])).length > 0
}

export async function listKeys(db: Queryable, account: AccountId): Promise<readonly IntegratorKey[]> {
  const rows = await db.run(listIntegratorKeysStatement, [account])
  return rows.map((row) => ({
    index: row.key_index,
    salt: row.salt,
    isEnabled: row.is_enabled,
    createdAt: row.created_at,
  }))
}

export async function disableKey(
  db: Queryable,
  { account, index }: { account: AccountId; index: string },
): Promise<boolean> {
  return (await db.run(disableIntegratorKeyStatement, [account, index])).length > 0
}
