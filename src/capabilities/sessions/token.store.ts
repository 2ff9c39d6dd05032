import type { AccountState } from '#engine/merchants/account.ts'
import type { TokenOwner } from '#capabilities/sessions/token-owner.ts'
import { assert } from '#kernel/assert.ts'
import { accountId, type AccountId, apiUserId, type ApiUserId, merchantNumber, tokenId } from '#kernel/ids.ts'
import type { MerchantNumber, TokenId } from '#kernel/ids.ts'
import { arrayOf, bytea, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

export const ownerColumns = {
  token_id: int8,
  api_user_id: int8,
  account_id: int8,
  account_code: text,
  account_description: text,
  account_state: text,
  alias: text,
  merchant_number: nullable(int4),
  token_description: text,
  created_by: text,
  created_at: timestamptz,
  changed_at: timestamptz,
  expires_at: timestamptz,
} as const

const ensureUserStatement = statement(
  'ensure_api_user',
  [int8, text, nullable(int4), text, timestamptz],
  { api_user_id: int8, merchant_number: nullable(int4) },
  `insert into api_user (account_id, alias, merchant_number, created_by, created_at)
   values ($1, $2, $3, $4, $5)
   on conflict (account_id, alias) do update set alias = excluded.alias
   returning api_user_id, merchant_number`,
)

const countValidTokensStatement = statement(
  'count_valid_tokens',
  [int8, timestamptz],
  { valid: int8 },
  `select count(*) as valid from api_token where api_user_id = $1 and revoked_at is null and expires_at > $2`,
)

const insertTokenStatement = statement(
  'insert_token',
  [int8, bytea, text, text, timestamptz, timestamptz],
  { token_id: int8 },
  `insert into api_token (api_user_id, digest, description, created_by, created_at, changed_at, expires_at)
   values ($1, $2, $3, $4, $5, $5, $6)
   on conflict (digest) do nothing
   returning token_id`,
)

const revokeTokenStatement = statement(
  'revoke_token',
  [int8, timestamptz],
  { account_id: int8 },
  `update api_token t set revoked_at = coalesce(t.revoked_at, $2), changed_at = $2
   from api_user u where t.token_id = $1 and u.api_user_id = t.api_user_id
   returning u.account_id`,
)

const listTokensStatement = statement(
  'list_tokens',
  [int8],
  { ...ownerColumns, revoked_at: nullable(timestamptz) },
  `select t.token_id, u.api_user_id, a.account_id, a.account_code, a.description as account_description,
     a.state as account_state, u.alias, u.merchant_number, t.description as token_description, t.created_by,
     t.created_at, t.changed_at, t.expires_at, t.revoked_at
   from api_token t join api_user u using (api_user_id) join account a using (account_id)
   where a.account_id = $1 order by t.token_id`,
)

const findTokenOwnerStatement = statement(
  'find_token_owner',
  [int8, int8],
  ownerColumns,
  `select t.token_id, u.api_user_id, a.account_id, a.account_code, a.description as account_description,
     a.state as account_state, u.alias, u.merchant_number, t.description as token_description, t.created_by,
     t.created_at, t.changed_at, t.expires_at
   from api_token t join api_user u using (api_user_id) join account a using (account_id)
   where a.account_id = $1 and t.token_id = $2`,
)

const takeTokensToWarnOfStatement = statement(
  'take_tokens_to_warn_of',
  [timestamptz, arrayOf(int4)],
  { token_id: int8, account_id: int8, account_code: text, alias: text, expires_at: timestamptz, days: int4 },
  `with due as (
     select t.token_id, min(d.days) as days
     from api_token t join unnest($2::int4[]) as d (days)
       on t.expires_at > $1 and t.expires_at <= $1 + make_interval(days => d.days)
     where t.revoked_at is null
     group by t.token_id
   )
   update api_token t set warned_days = due.days
   from due, api_user u, account a
   where t.token_id = due.token_id and (t.warned_days is null or t.warned_days > due.days)
     and u.api_user_id = t.api_user_id and a.account_id = u.account_id and a.state <> 'closed'
   returning t.token_id, a.account_id, a.account_code, u.alias, t.expires_at, due.days`,
)

// Locks the user's row, so that two tokens issued at once are counted one after the other.
export async function lockOrMakeUser(
  tx: Tx,
  user: {
    account: AccountId
    alias: string
    merchant: MerchantNumber | null
    createdBy: string
    at: Temporal.Instant
  },
): Promise<{ userId: ApiUserId; merchant: MerchantNumber | null }> {
  const { account, alias, merchant, createdBy, at } = user
  const [row] = await tx.run(ensureUserStatement, [account, alias, merchant, createdBy, at])
  assert(row, 'an upsert answers its row')
  return { userId: apiUserId(row.api_user_id), merchant: numberOrNull(row.merchant_number) }
}

export async function countValidTokens(tx: Tx, user: ApiUserId, at: Temporal.Instant): Promise<number> {
  const [row] = await tx.run(countValidTokensStatement, [user, at])
  return Number(row?.valid ?? 0n)
}

export type NewToken = {
  readonly user: ApiUserId
  readonly digest: Buffer
  readonly description: string
  readonly createdBy: string
  readonly createdAt: Temporal.Instant
  readonly expiresAt: Temporal.Instant
}

// Answers null when this very token exists already, as the sandbox's does on every start but the first.
export async function insertToken(tx: Tx, token: NewToken): Promise<TokenId | null> {
  const { user, digest, description, createdBy, createdAt, expiresAt } = token
  const [row] = await tx.run(insertTokenStatement, [
    user,
    digest,
    description,
    createdBy,
    createdAt,
    expiresAt,
  ])
  return row ? tokenId(row.token_id) : null
}

export async function markTokenRevoked(
  tx: Tx,
  token: TokenId,
  at: Temporal.Instant,
): Promise<AccountId | null> {
  const [row] = await tx.run(revokeTokenStatement, [token, at])
  return row ? accountId(row.account_id) : null
}

export type ListedToken = TokenOwner & { readonly revokedAt: Temporal.Instant | null }

export async function loadTokens(db: Queryable, account: AccountId): Promise<readonly ListedToken[]> {
  const rows = await db.run(listTokensStatement, [account])
  return rows.map((row) => ({ ...ownerFromRow(row), revokedAt: row.revoked_at }))
}

export async function findTokenOwner(
  db: Queryable,
  { account, token }: { account: AccountId; token: TokenId },
): Promise<TokenOwner | null> {
  const [row] = await db.run(findTokenOwnerStatement, [account, token])
  return row ? ownerFromRow(row) : null
}

export type TokenWarning = {
  readonly tokenId: TokenId
  readonly accountId: AccountId
  readonly accountCode: string
  readonly alias: string
  readonly expiresAt: Temporal.Instant
  readonly daysLeft: number
}

// Takes each warning once, whichever node asks.
export async function takeTokensToWarnOf(
  db: Queryable,
  { at, daysBefore }: { at: Temporal.Instant; daysBefore: readonly number[] },
): Promise<readonly TokenWarning[]> {
  const rows = await db.run(takeTokensToWarnOfStatement, [at, daysBefore])
  return rows.map((row) => ({
    tokenId: tokenId(row.token_id),
    accountId: accountId(row.account_id),
    accountCode: row.account_code,
    alias: row.alias,
    expiresAt: row.expires_at,
    daysLeft: row.days,
  }))
}

export function ownerFromRow(row: RowOf<typeof ownerColumns>): TokenOwner {
  return {
    tokenId: tokenId(row.token_id),
    userId: apiUserId(row.api_user_id),
    accountId: accountId(row.account_id),
    accountCode: row.account_code,
    accountDescription: row.account_description,
    accountState: row.account_state as AccountState,
    alias: row.alias,
    merchantNumber: numberOrNull(row.merchant_number),
    tokenDescription: row.token_description,
    createdBy: row.created_by,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    expiresAt: row.expires_at,
  }
}

function numberOrNull(value: number | null): MerchantNumber | null {
  return value === null ? null : merchantNumber(value)
}
