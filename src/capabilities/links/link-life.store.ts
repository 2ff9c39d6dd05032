import type { FormPayer } from '#capabilities/forms/form.ts'
import type { LinkId } from '#capabilities/links/link.ts'
import { answersMax } from '#capabilities/links/link.ts'
import { accountId, type AccountId } from '#kernel/ids.ts'
import {
  arrayOf,
  bool,
  int4,
  int8,
  jsonb,
  nullable,
  text,
  timestamptz,
} from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// What happens to links after they were made. Each change is guarded by the row it changes.

// A link for one payment is taken; one for many only has to be open. Whoever was at the bank as it expired
// may pay it, too: nobody else comes as far as this.
const beginPayingStatement = statement(
  'begin_paying_links',
  [arrayOf(int8), arrayOf(int8), arrayOf(text), arrayOf(timestamptz)],
  { link_id: int8 },
  `update link l
   set state = case when l.is_single_use then 'paying' else 'open' end, attempt_ref = begun.ref
   from unnest($1::bigint[], $2::bigint[], $3::text[], $4::timestamptz[]) 
     as begun (link_id, account_id, ref, at)
   where l.link_id = begun.link_id and l.account_id = begun.account_id and l.state = 'open'
     and greatest(l.expires_at, l.held_until) > begun.at
   returning l.link_id`,
)

// A payment that was under way when its link expired or was withdrawn counts all the same.
const markPaidStatement = statement(
  'mark_links_paid',
  [arrayOf(int8), arrayOf(int8), arrayOf(int8), timestamptz],
  { link_id: int8, is_single_use: bool },
  `update link l
   set state = case when l.is_single_use then 'paid' else l.state end, payments = l.payments + 1,
     transaction_id = paid.transaction_id, paid_at = $4::timestamptz
   from unnest($1::bigint[], $2::bigint[], $3::bigint[]) as paid (link_id, account_id, transaction_id)
   where l.link_id = paid.link_id and l.account_id = paid.account_id
   returning l.link_id, l.is_single_use`,
)

// Only by the newest attempt: whatever becomes of an older one changes nothing any more.
const reopenStatement = statement(
  'reopen_links',
  [arrayOf(int8), arrayOf(int8), arrayOf(text)],
  {},
  `update link l set state = 'open'
   from unnest($1::bigint[], $2::bigint[], $3::text[]) as freed (link_id, account_id, ref)
   where l.link_id = freed.link_id and l.account_id = freed.account_id and l.attempt_ref = freed.ref
     and l.state = 'paying'`,
)

const holdStatement = statement(
  'hold_link',
  [int8, timestamptz, timestamptz],
  { link_id: int8 },
  `update link set held_until = greatest(held_until, $3)
   where link_id = $1 and state = 'open' and expires_at > $2
   returning link_id`,
)

const letGoStatement = statement(
  'let_go_of_link',
  [int8],
  {},
  `update link set held_until = null where link_id = $1 and is_single_use and held_until is not null`,
)

const markOpenedStatement = statement(
  'mark_link_opened',
  [int8, timestamptz],
  { link_id: int8 },
  `update link set opened_at = $2 where link_id = $1 and opened_at is null returning link_id`,
)

const takeAnswerStatement = statement(
  'take_link_answer',
  [int8, int4],
  { wrong_answers: int4 },
  `update link set wrong_answers = wrong_answers + 1
   where link_id = $1 and state = 'open' and wrong_answers < $2::integer
   returning wrong_answers`,
)

const giveBackAnswerStatement = statement(
  'give_back_link_answer',
  [int8],
  {},
  `update link set wrong_answers = wrong_answers - 1 where link_id = $1 and wrong_answers > 0`,
)

const withdrawStatement = statement(
  'withdraw_link',
  [int8, timestamptz],
  {},
  `update link set state = 'withdrawn', ended_at = $2 where link_id = $1 and state = 'open'`,
)

const markSentStatement = statement(
  'mark_link_sent',
  [int8, nullable(timestamptz)],
  {},
  `update link set sent_at = coalesce($2, sent_at), wrong_answers = 0,
     rounds = rounds + is_locked::integer, is_locked = false
   where link_id = $1`,
)

const markLockedStatement = statement(
  'lock_tried_link',
  [int8],
  {},
  `update link set is_locked = true where link_id = $1 and state = 'open'`,
)

const accountsToExpireStatement = statement(
  'accounts_with_links_to_expire',
  [timestamptz],
  { account_id: int8 },
  `select distinct account_id from link where state = 'open' and expires_at <= $1
     and (held_until is null or held_until <= $1)`,
)

const nextExpiryStatement = statement(
  'next_link_expiry',
  [int8, timestamptz, timestamptz],
  { at: nullable(timestamptz) },
  `select min(greatest(expires_at, held_until)) as at from link
   where account_id = $1 and state = 'open' and expires_at <= $3
     and greatest(expires_at, held_until) > $2 and greatest(expires_at, held_until) <= $3`,
)

const expireStatement = statement(
  'expire_links',
  [int8, timestamptz, int4],
  { link_id: int8 },
  `update link set state = 'expired', ended_at = greatest(expires_at, held_until)
   where link_id in (
     select link_id from link where account_id = $1 and state = 'open' and expires_at <= $2
       and (held_until is null or held_until <= $2)
     order by expires_at, link_id limit $3::integer
     for update skip locked)
   returning link_id`,
)

const forgetPayersStatement = statement(
  'forget_payers_of_links',
  [timestamptz, int4, jsonb],
  { link_id: int8 },
  `update link set is_forgotten = true, payer = $3, recipient = '', body = '', questions = '[]'
   where link_id in (
     select link_id from link
     where not is_forgotten and expires_at < $1 and state in ('paid', 'withdrawn', 'expired')
     order by expires_at limit $2::integer
     for update skip locked)
   returning link_id`,
)

export type Beginning = {
  readonly link: bigint
  readonly account: AccountId
  readonly ref: string
  readonly at: Temporal.Instant
}

// Answers the links that may be paid now.
export async function beginPaying(tx: Tx, begun: readonly Beginning[]): Promise<ReadonlySet<bigint>> {
  const rows = await tx.run(beginPayingStatement, [
    begun.map(({ link }) => link),
    begun.map(({ account }) => account),
    begun.map(({ ref }) => ref),
    begun.map(({ at }) => at),
  ])
  return new Set(rows.map((row) => row.link_id))
}

type PaidLink = { readonly link: bigint; readonly account: AccountId; readonly transaction: bigint }

// Answers those that are paid for good.
export async function markPaid(
  tx: Tx,
  paid: readonly PaidLink[],
  at: Temporal.Instant,
): Promise<readonly bigint[]> {
  const rows = await tx.run(markPaidStatement, [
    paid.map(({ link }) => link),
    paid.map(({ account }) => account),
    paid.map(({ transaction }) => transaction),
    at,
  ])
  return rows.flatMap((row) => (row.is_single_use ? [row.link_id] : []))
}

export async function reopen(tx: Tx, freed: readonly Omit<Beginning, 'at'>[]): Promise<void> {
  await tx.run(reopenStatement, [
    freed.map(({ link }) => link),
    freed.map(({ account }) => account),
    freed.map(({ ref }) => ref),
  ])
}

type Hold = {
  readonly link: LinkId
  readonly at: Temporal.Instant
  readonly until: Temporal.Instant
}

// Answers whether it could still be paid.
export async function hold(tx: Tx, { link, at, until }: Hold): Promise<boolean> {
  return (await tx.run(holdStatement, [link, at, until])).length > 0
}

// One for many payments may be held for others, too.
export async function letGo(db: Queryable, link: LinkId): Promise<void> {
  await db.run(letGoStatement, [link])
}

// Answers whether nobody had opened it before.
export async function markOpened(tx: Tx, link: LinkId, at: Temporal.Instant): Promise<boolean> {
  return (await tx.run(markOpenedStatement, [link, at])).length > 0
}

// Answers whether there was one left.
export async function takeAnswer(db: Queryable, link: LinkId): Promise<boolean> {
  return (await db.run(takeAnswerStatement, [link, answersMax])).length > 0
}

export async function giveBackAnswer(db: Queryable, link: LinkId): Promise<void> {
  await db.run(giveBackAnswerStatement, [link])
}

export async function markWithdrawn(tx: Tx, link: LinkId, at: Temporal.Instant): Promise<void> {
  await tx.run(withdrawStatement, [link, at])
}

export async function markLocked(tx: Tx, link: LinkId): Promise<void> {
  await tx.run(markLockedStatement, [link])
}

// Whoever is sent the link again may answer its questions again, and try cards again on a new form. at: null
// where it is only unlocked.
export async function markSent(tx: Tx, link: LinkId, at: Temporal.Instant | null): Promise<void> {
  await tx.run(markSentStatement, [link, at])
}

export async function accountsToExpire(db: Queryable, at: Temporal.Instant): Promise<readonly AccountId[]> {
  return (await db.run(accountsToExpireStatement, [at])).map((row) => accountId(row.account_id))
}

type Span = {
  readonly account: AccountId
  readonly after: Temporal.Instant
  readonly until: Temporal.Instant
}

export async function nextExpiry(
  db: Queryable,
  { account, after, until }: Span,
): Promise<Temporal.Instant | null> {
  const [row] = await db.run(nextExpiryStatement, [account, after, until])
  return row?.at ?? null
}

type Expiring = { readonly account: AccountId; readonly at: Temporal.Instant; readonly most: number }

export async function expire(tx: Tx, { account, at, most }: Expiring): Promise<readonly bigint[]> {
  return (await tx.run(expireStatement, [account, at, most])).map((row) => row.link_id)
}

const nobody: FormPayer = {
  firstName: '',
  lastName: '',
  email: '',
  phone: '',
  street: '',
  city: '',
  state: '',
  zip: '',
  country: '',
}

type Old = { readonly before: Temporal.Instant; readonly most: number }

// Answers how many.
export async function forgetPayers(db: Queryable, { before, most }: Old): Promise<number> {
  return (await db.run(forgetPayersStatement, [before, most, nobody])).length
}

const countOpenStatement = statement(
  'count_open_links',
  [int8],
  { links: int8 },
  `select count(*) as links from link where account_id = $1 and state in ('open', 'paying')`,
)

export async function countOpen(db: Queryable, account: AccountId): Promise<bigint> {
  const [row] = await db.run(countOpenStatement, [account])
  return row?.links ?? 0n
}
