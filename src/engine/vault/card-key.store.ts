import type { CardId, CardRef } from '#engine/vault/vault.ts'
import { accountId } from '#kernel/ids.ts'
import { arrayOf, bool, bytea, int4, int8, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// Whoever stores a card holds the lock together with all others who do; whoever registers a new version
// holds it alone. So no card is committed under an older version once the new one is registered. The number
// is our own choice.
const shareKeyVersionStatement = statement(
  'share_key_version',
  [],
  { is_locked: bool },
  `select true as is_locked from pg_advisory_xact_lock_shared(7411854)`,
)

const lockKeyVersionStatement = statement(
  'lock_key_version',
  [],
  { is_locked: bool },
  `select true as is_locked from pg_advisory_xact_lock(7411854)`,
)

const currentKeyStatement = statement(
  'current_key',
  [],
  { kek_version: int4, key_id: text },
  `select kek_version, key_id from vault_key_version order by kek_version desc limit 1`,
)

const registerKeyStatement = statement(
  'register_key',
  [int4, text, timestamptz],
  {},
  `insert into vault_key_version (kek_version, key_id, created_at) values ($1, $2, $3)
   on conflict (kek_version) do nothing`,
)

const forgetKeyStatement = statement(
  'forget_key',
  [int4],
  { kek_version: int4 },
  `delete from vault_key_version where kek_version = $1 returning kek_version`,
)

const listKeysStatement = statement(
  'list_keys',
  [],
  { kek_version: int4, key_id: text, created_at: timestamptz, cards: int8 },
  `select kek_version, key_id, created_at, coalesce(cards, 0) as cards
   from vault_key_version
   left join (
     select kek_version, count(*) as cards from (
       select kek_version from vault_card union all select kek_version from vault_bank_account
     ) kept group by kek_version
   ) used using (kek_version)
   order by kek_version`,
)

const isKeyUsedStatement = statement(
  'is_key_used',
  [int4],
  { is_used: bool },
  `select exists (select from vault_card where kek_version = $1)
     or exists (select from vault_bank_account where kek_version = $1) as is_used`,
)

const countOutdatedStatement = statement(
  'count_outdated_card_keys',
  [int4],
  { cards: int8 },
  `select (select count(*) from vault_card where kek_version < $1)
     + (select count(*) from vault_bank_account where kek_version < $1) as cards`,
)

const findOutdatedStatement = statement(
  'find_outdated_card_keys',
  [int4, int8, int4],
  { card_id: int8, account_id: int8, wrapped: bytea, kek_version: int4 },
  `select card_id, account_id, wrapped, kek_version
   from (
     (select card_id, account_id, wrapped, kek_version from vault_card
      where kek_version < $1 and card_id > $2 order by card_id limit $3::integer)
     union all
     (select bank_account_id, account_id, wrapped, kek_version from vault_bank_account
      where kek_version < $1 and bank_account_id > $2 order by bank_account_id limit $3::integer)
   ) kept
   order by card_id
   limit $3::integer`,
)

// Rows that others hold are left for the next round, so that a rotation never waits while it holds rows
// itself. The version is compared, because somebody else may have wrapped or erased the card meanwhile.
const replaceWrappedKeysStatement = statement(
  'replace_wrapped_keys',
  [int4, arrayOf(int8), arrayOf(int4), arrayOf(bytea)],
  { card_id: int8 },
  `with fresh as (
     select * from unnest($2::bigint[], $3::integer[], $4::bytea[]) as fresh (card_id, kek_version, wrapped)
   ), free_card as materialized (
     select card_id, fresh.wrapped
     from fresh join vault_card card using (card_id, kek_version)
     for no key update of card skip locked
   ), free_account as materialized (
     select bank_account_id, fresh.wrapped
     from fresh join vault_bank_account kept
       on kept.bank_account_id = fresh.card_id and kept.kek_version = fresh.kek_version
     for no key update of kept skip locked
   ), card as (
     update vault_card set wrapped = free_card.wrapped, kek_version = $1
     from free_card where vault_card.card_id = free_card.card_id
     returning vault_card.card_id
   ), bank_account as (
     update vault_bank_account kept set wrapped = free_account.wrapped, kek_version = $1
     from free_account where kept.bank_account_id = free_account.bank_account_id
     returning kept.bank_account_id
   )
   select card_id from card union all select bank_account_id from bank_account`,
)

export type RegisteredKey = { readonly version: number; readonly keyId: string }

// Stays valid until the transaction ends.
export async function shareCurrentKey(tx: Tx): Promise<RegisteredKey | null> {
  // Two statements, because the second must see what the first has waited for.
  const [, key] = await Promise.all([tx.run(shareKeyVersionStatement, []), findCurrentKey(tx)])
  return key
}

export async function findCurrentKey(db: Queryable): Promise<RegisteredKey | null> {
  const [row] = await db.run(currentKeyStatement, [])
  return row ? { version: row.kek_version, keyId: row.key_id } : null
}

type Registration = RegisteredKey & { readonly at: Temporal.Instant }

// Waits for everybody who is storing a card under an older version.
export async function lockAndRegisterKey(tx: Tx, { version, keyId, at }: Registration): Promise<void> {
  await tx.run(lockKeyVersionStatement, [])
  await tx.run(registerKeyStatement, [version, keyId, at])
}

// The first version has nobody to wait for.
export async function registerFirstKey(db: Queryable, { version, keyId, at }: Registration): Promise<void> {
  await db.run(registerKeyStatement, [version, keyId, at])
}

export async function forgetKey(db: Queryable, version: number): Promise<boolean> {
  return (await db.run(forgetKeyStatement, [version])).length > 0
}

export type KeyUse = RegisteredKey & { readonly createdAt: Temporal.Instant; readonly cards: bigint }

export async function countCardsByKey(db: Queryable): Promise<readonly KeyUse[]> {
  return (await db.run(listKeysStatement, [])).map((row) => ({
    version: row.kek_version,
    keyId: row.key_id,
    createdAt: row.created_at,
    cards: row.cards,
  }))
}

export async function isKeyUsed(db: Queryable, version: number): Promise<boolean> {
  const [row] = await db.run(isKeyUsedStatement, [version])
  return row?.is_used ?? false
}

export async function countOutdated(db: Queryable, version: number): Promise<bigint> {
  const [row] = await db.run(countOutdatedStatement, [version])
  return row?.cards ?? 0n
}

export type WrappedKey = CardRef & { readonly wrapped: Buffer; readonly keyVersion: number }

export async function findOutdated(
  db: Queryable,
  portion: { readonly version: number; readonly after: bigint; readonly most: number },
): Promise<readonly WrappedKey[]> {
  const rows = await db.run(findOutdatedStatement, [portion.version, portion.after, portion.most])
  return rows.map((row) => ({
    account: accountId(row.account_id),
    cardId: row.card_id as CardId,
    wrapped: row.wrapped,
    keyVersion: row.kek_version,
  }))
}

type Fresh = { readonly cardId: CardId; readonly oldVersion: number; readonly wrapped: Buffer }

// Answers how many were replaced.
export async function replaceWrappedKeys(
  db: Queryable,
  { version, fresh }: { readonly version: number; readonly fresh: readonly Fresh[] },
): Promise<number> {
  const rows = await db.run(replaceWrappedKeysStatement, [
    version,
    fresh.map(({ cardId }) => cardId),
    fresh.map(({ oldVersion }) => oldVersion),
    fresh.map(({ wrapped }) => wrapped),
  ])
  return rows.length
}
