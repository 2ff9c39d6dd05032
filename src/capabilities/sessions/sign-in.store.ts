import {
  failuresUntilLocked,
  isAccountLockedOut,
  knownNetworkFor,
  lockMinutes,
  type Lockout,
} from '#capabilities/sessions/lockout.ts'
import { type ownerColumns, ownerFromRow } from '#capabilities/sessions/token.store.ts'
import type { TokenOwner } from '#capabilities/sessions/token-owner.ts'
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
import type { Queryable } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

// One read for everything that sign-ins are judged by, for many at once. It answers exactly one row for
// each and does the same work whether the account code is known or not. Columns of the token are null
// together when there is no such pair of code and token.
const readSignInsStatement = statement(
  'read_sign_ins',
  [arrayOf(bytea), arrayOf(text), arrayOf(text), arrayOf(text), arrayOf(timestamptz)],
  {
    has_token: bool,
    token_id: nullable(int8),
    api_user_id: nullable(int8),
    account_id: nullable(int8),
    account_code: nullable(text),
    account_description: nullable(text),
    account_state: nullable(text),
    alias: nullable(text),
    merchant_number: nullable(int4),
    token_description: nullable(text),
    created_by: nullable(text),
    created_at: nullable(timestamptz),
    changed_at: nullable(timestamptz),
    expires_at: nullable(timestamptz),
    has_failures: bool,
    is_locked: bool,
    failures_in_hour: int8,
    networks: int8,
    address_failures: int8,
    succeeded_at: nullable(timestamptz),
  },
  `select t.token_id is not null as has_token, t.token_id, u.api_user_id, a.account_id, a.account_code,
     a.description as account_description, a.state as account_state, u.alias, u.merchant_number,
     t.description as token_description, t.created_by, t.created_at, t.changed_at, t.expires_at,
     f.has_failures, f.is_locked, h.failures_in_hour, h.networks, r.address_failures, n.succeeded_at
   from unnest($1::bytea[], $2::text[], $3::text[], $4::text[], $5::timestamptz[]) with ordinality
     as i (digest, account_code, network, address, at, place)
   cross join lateral (
     select coalesce(bool_or(true), false) as has_failures,
       coalesce(bool_or(s.locked_until > i.at), false) as is_locked
     from sign_in_failure s where s.account_code = i.account_code and s.network = i.network
   ) f
   cross join lateral (
     select coalesce(sum(c.failures), 0) as failures_in_hour, count(distinct c.network) as networks
     from sign_in_count c
     where c.account_code = i.account_code and c.minute > i.at - interval '1 hour'
   ) h
   cross join lateral (
     select coalesce(sum(w.failures), 0) as address_failures
     from sign_in_rate w where w.address = i.address and w.minute = date_trunc('minute', i.at)
   ) r
   left join sign_in_success n on n.account_code = i.account_code and n.network = i.network
   left join api_token t on t.digest = i.digest and t.revoked_at is null
   left join api_user u on u.api_user_id = t.api_user_id
   left join account a on a.account_id = u.account_id
   order by i.place`,
)

const recordFailureStatement = statement(
  'record_sign_in_failure',
  [text, text, text, text, timestamptz, int4, int4],
  { is_newly_locked: bool },
  `with rated as (
     insert into sign_in_rate as r (address, minute, failures)
     values ($4, date_trunc('minute', $5::timestamptz), 1)
     on conflict (address, minute) do update set failures = r.failures + 1
   ), counted as (
     insert into sign_in_count as c (account_code, network, minute, failures)
     values ($1, $3, date_trunc('minute', $5::timestamptz), 1)
     on conflict (account_code, network, minute) do update set failures = c.failures + 1
   )
   insert into sign_in_failure as f (account_code, network, failures_in_a_row, failed_at)
   values ($1, $2, 1, $5::timestamptz)
   on conflict (account_code, network) do update set
     failures_in_a_row = case when f.locked_until <= $5 then 1 else f.failures_in_a_row + 1 end,
     failed_at = $5,
     locked_until = case
       when f.locked_until > $5 then f.locked_until
       when f.locked_until is null and f.failures_in_a_row + 1 >= $6 then $5 + make_interval(mins => $7)
     end
   returning f.failures_in_a_row = $6 as is_newly_locked`,
)

const recordSuccessStatement = statement(
  'record_sign_in_success',
  [text, text, timestamptz],
  {},
  `insert into sign_in_success as s (account_code, network, succeeded_at) values ($1, $2, $3)
   on conflict (account_code, network) do update
     set succeeded_at = greatest(s.succeeded_at, excluded.succeeded_at)`,
)

const clearFailuresStatement = statement(
  'clear_sign_in_failures',
  [text, text],
  {},
  `delete from sign_in_failure where account_code = $1 and network = $2`,
)

const clearAccountFailuresStatement = statement(
  'clear_account_sign_in_failures',
  [text],
  {},
  `with counts as (delete from sign_in_count where account_code = $1)
   delete from sign_in_failure where account_code = $1`,
)

const removeOldFailuresStatement = statement(
  'remove_old_sign_in_failures',
  [timestamptz, timestamptz],
  {},
  `with old_networks as (delete from sign_in_success where succeeded_at < $2),
     old_rates as (delete from sign_in_rate where minute < $1),
     old_counts as (delete from sign_in_count where minute < $1)
   delete from sign_in_failure where failed_at < $1 and (locked_until is null or locked_until < $1)`,
)

// Of accounts that exist; guessers leave rows under other codes as well.
const listFailingStatement = statement(
  'list_failing_sign_ins',
  [timestamptz],
  { account_code: text, locked_networks: int8, failures_in_hour: int8, networks: int8 },
  `select a.account_code, l.locked_networks, h.failures_in_hour, h.networks
   from account a
     cross join lateral (
       select count(*) as locked_networks from sign_in_failure f
       where f.account_code = a.account_code and f.locked_until > $1
     ) l
     cross join lateral (
       select coalesce(sum(c.failures), 0) as failures_in_hour, count(distinct c.network) as networks
       from sign_in_count c
       where c.account_code = a.account_code and c.minute > $1::timestamptz - interval '1 hour'
     ) h
   where l.locked_networks > 0 or h.failures_in_hour > 0`,
)

export type SignInAttempt = {
  readonly digest: Buffer
  readonly accountCode: string
  readonly network: string
  readonly wideNetwork: string
  // Whom failures of a minute are counted for: whoever has one IPv6 address has a /64 of them.
  readonly owner: string
  readonly address: string
  readonly at: Temporal.Instant
}

export type SignInFacts = {
  // null when there is no such pair of account code and token.
  readonly owner: TokenOwner | null
  readonly hasFailures: boolean
  // A success of this network was recorded less than a day ago.
  readonly isNetworkNoted: boolean
  readonly isLockedOut: boolean
  readonly failuresThisMinute: number
}

export async function readSignIns(
  db: Queryable,
  attempts: readonly SignInAttempt[],
): Promise<readonly SignInFacts[]> {
  const rows = await db.run(readSignInsStatement, [
    attempts.map(({ digest }) => digest),
    attempts.map(({ accountCode }) => accountCode),
    attempts.map(({ network }) => network),
    attempts.map(({ owner }) => owner),
    attempts.map(({ at }) => at),
  ])
  return rows.map((row, at) => factsFromRow(row, attempts[at]?.at ?? null))
}

const noteAgainAfter = Temporal.Duration.from({ hours: 24 })

function factsFromRow(
  row: RowOf<(typeof readSignInsStatement)['columns']>,
  at: Temporal.Instant | null,
): SignInFacts {
  const isWithin = (most: Temporal.Duration): boolean =>
    at !== null &&
    row.succeeded_at !== null &&
    Temporal.Duration.compare(at.since(row.succeeded_at), most) < 0
  const counts = { failuresInHour: Number(row.failures_in_hour), networks: Number(row.networks) }
  return {
    // The statement's own column says that the token's columns are filled.
    owner: row.has_token ? ownerFromRow(row as RowOf<typeof ownerColumns>) : null,
    hasFailures: row.has_failures,
    isNetworkNoted: isWithin(noteAgainAfter),
    isLockedOut: row.is_locked || (isAccountLockedOut(counts) && !isWithin(knownNetworkFor)),
    failuresThisMinute: Number(row.address_failures),
  }
}

// By account code, only those that are locked out: from some networks, or everywhere.
export async function listLockedOut(
  db: Queryable,
  at: Temporal.Instant,
): Promise<ReadonlyMap<string, Lockout>> {
  const rows = await db.run(listFailingStatement, [at])
  const lockouts = rows.map((row): [string, Lockout] => {
    const counts = { failuresInHour: Number(row.failures_in_hour), networks: Number(row.networks) }
    const isEverywhere = isAccountLockedOut(counts)
    return [row.account_code, { isEverywhere, networks: Number(row.locked_networks) }]
  })
  return new Map(lockouts.filter(([, { isEverywhere, networks }]) => isEverywhere || networks > 0))
}

// Answers whether this failure was the one that locked the pair out.
export async function recordSignInFailure(db: Queryable, attempt: SignInAttempt): Promise<boolean> {
  const { accountCode, network, wideNetwork, owner, at } = attempt
  const values = [accountCode, network, wideNetwork, owner, at, failuresUntilLocked, lockMinutes] as const
  const [row] = await db.run(recordFailureStatement, values)
  return row?.is_newly_locked ?? false
}

export async function recordSignInSuccess(
  db: Queryable,
  { accountCode, network, at }: SignInAttempt,
): Promise<void> {
  await db.run(recordSuccessStatement, [accountCode, network, at])
}

export async function clearSignInFailures(
  db: Queryable,
  { accountCode, network }: SignInAttempt,
): Promise<void> {
  await db.run(clearFailuresStatement, [accountCode, network])
}

export async function clearAccountSignInFailures(db: Queryable, accountCode: string): Promise<void> {
  await db.run(clearAccountFailuresStatement, [accountCode])
}

export async function removeOldSignInFailures(
  db: Queryable,
  before: { readonly failures: Temporal.Instant; readonly successes: Temporal.Instant },
): Promise<void> {
  await db.run(removeOldFailuresStatement, [before.failures, before.successes])
}
