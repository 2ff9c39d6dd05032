import type { Caller } from '#capabilities/wire/caller.ts'
import { accountId, type AccountId, apiUserId, merchantNumber, tokenId, type TokenId } from '#kernel/ids.ts'
import {
  arrayOf,
  bool,
  bytea,
  int4,
  int8,
  nullable,
  text,
  timestamptz,
} from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const insertSessionsStatement = statement(
  'insert_sessions',
  [arrayOf(bytea), arrayOf(int8), arrayOf(text), arrayOf(timestamptz), arrayOf(timestamptz)],
  { digest: bytea },
  `insert into session (digest, token_id, address, created_at, expires_at)
   select i.digest, i.token_id, i.address, i.created_at, i.expires_at
   from unnest($1::bytea[], $2::int8[], $3::text[], $4::timestamptz[], $5::timestamptz[])
     as i (digest, token_id, address, created_at, expires_at)
     join api_token t on t.token_id = i.token_id and t.revoked_at is null
     join api_user u on u.api_user_id = t.api_user_id
     join account a on a.account_id = u.account_id and a.state = 'open'
   for share of t, a
   returning digest`,
)

const findSessionsStatement = statement(
  'find_sessions',
  [arrayOf(bytea)],
  {
    digest: bytea,
    address: text,
    expires_at: timestamptz,
    token_id: int8,
    api_user_id: int8,
    account_id: int8,
    merchant_number: nullable(int4),
    binds_address: bool,
    allows_partial_approvals: bool,
    allows_alternate_merchants: bool,
    verifies_cards: bool,
    time_zone: text,
  },
  `select s.digest, s.address, s.expires_at, s.token_id, u.api_user_id, u.account_id, u.merchant_number,
     a.binds_address, a.allows_partial_approvals, a.allows_alternate_merchants, a.verifies_cards,
     coalesce(m.time_zone, 'UTC') as time_zone
   from unnest($1::bytea[]) as i (digest)
     join session s on s.digest = i.digest
     join api_token t on t.token_id = s.token_id and t.revoked_at is null
     join api_user u on u.api_user_id = t.api_user_id
     join account a on a.account_id = u.account_id and a.state = 'open'
     left join merchant m on m.account_id = a.account_id and m.merchant_number = 1`,
)

const deleteSessionStatement = statement(
  'delete_session',
  [bytea],
  {},
  `delete from session where digest = $1`,
)

const deleteTokenSessionsStatement = statement(
  'delete_token_sessions',
  [int8],
  {},
  `delete from session where token_id = $1`,
)

const deleteAccountSessionsStatement = statement(
  'delete_account_sessions',
  [int8],
  {},
  `delete from session s using api_token t, api_user u
   where t.token_id = s.token_id and u.api_user_id = t.api_user_id and u.account_id = $1`,
)

const removeEndedSessionsStatement = statement(
  'remove_ended_sessions',
  [timestamptz, int4],
  { digest: bytea },
  `delete from session where digest in (select digest from session where expires_at <= $1 limit $2::int4)
   returning digest`,
)

const tellSessionsEndedStatement = statement(
  'tell_sessions_ended',
  [text],
  { told: nullable(text) },
  `select pg_notify('tillgate_sessions', $1)::text as told`,
)

export type NewSession = {
  readonly digest: Buffer
  readonly tokenId: TokenId
  readonly address: string
  readonly createdAt: Temporal.Instant
  readonly expiresAt: Temporal.Instant
}

// Only for tokens and accounts that are still good when it is written: a lock or a revocation that comes
// meanwhile either waits for these rows and ends them, or keeps them from being made. Answers for each
// whether it was.
export async function insertSessions(
  db: Queryable,
  sessions: readonly NewSession[],
): Promise<readonly boolean[]> {
  const rows = await db.run(insertSessionsStatement, [
    sessions.map(({ digest }) => digest),
    sessions.map((session) => session.tokenId),
    sessions.map(({ address }) => address),
    sessions.map(({ createdAt }) => createdAt),
    sessions.map(({ expiresAt }) => expiresAt),
  ])
  const made = new Set(rows.map((row) => row.digest.toString('hex')))
  return sessions.map(({ digest }) => made.has(digest.toString('hex')))
}

// A session as the database knows it. Where it was made counts only if the account binds sessions to
// addresses.
export type KnownSession = Omit<Caller, 'address' | 'callerKey'> & { readonly boundTo: string | null }

// One read for many, in the order of what was asked.
export async function findSessions(
  db: Queryable,
  digests: readonly Buffer[],
): Promise<readonly (KnownSession | null)[]> {
  const rows = await db.run(findSessionsStatement, [digests])
  const found = new Map(rows.map((row) => [row.digest.toString('hex'), sessionFromRow(row)]))
  return digests.map((digest) => found.get(digest.toString('hex')) ?? null)
}

function sessionFromRow(row: RowOf<typeof findSessionsStatement.columns>): KnownSession {
  return {
    sessionDigest: row.digest,
    accountId: accountId(row.account_id),
    userId: apiUserId(row.api_user_id),
    tokenId: tokenId(row.token_id),
    merchantNumber: row.merchant_number === null ? null : merchantNumber(row.merchant_number),
    allowsPartialApprovals: row.allows_partial_approvals,
    allowsAlternateMerchants: row.allows_alternate_merchants,
    verifiesCards: row.verifies_cards,
    timeZone: row.time_zone,
    expiresAt: row.expires_at,
    boundTo: row.binds_address ? row.address : null,
  }
}

// Each of these ends sessions and tells every node to forget them, in one commit.
export async function endSessionByDigest(tx: Tx, digest: Buffer, account: AccountId): Promise<void> {
  await Promise.all([tx.run(deleteSessionStatement, [digest]), tellSessionsEnded(tx, account)])
}

export async function endTokenSessions(tx: Tx, token: TokenId, account: AccountId): Promise<void> {
  await Promise.all([tx.run(deleteTokenSessionsStatement, [token]), tellSessionsEnded(tx, account)])
}

export async function endAccountSessions(tx: Tx, account: AccountId): Promise<void> {
  await Promise.all([tx.run(deleteAccountSessionsStatement, [account]), tellSessionsEnded(tx, account)])
}

async function tellSessionsEnded(tx: Tx, account: AccountId): Promise<void> {
  await tx.run(tellSessionsEndedStatement, [account.toString()])
}

// In portions, so that a large backlog never holds a long transaction. Answers how many went.
export async function removeEndedSessions(
  db: Queryable,
  { before, most }: { before: Temporal.Instant; most: number },
): Promise<number> {
  return (await db.run(removeEndedSessionsStatement, [before, most])).length
}
