import { attemptId, type AttemptId, type AttemptKind } from '#engine/payments/attempt.ts'
import type { Backlog } from '#engine/payments/backlog.ts'
import type { Currency } from '#kernel/currency.ts'
import type { AccountId } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'
import { int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const countBacklogStatement = statement(
  'count_backlog',
  [],
  {
    unknown: int8,
    oldest_unknown_at: nullable(timestamptz),
    reversing: int8,
    late: int8,
    manual: int8,
  },
  `select count(*) filter (where a.state = 'unknown') as unknown,
     min(u.since) filter (where a.state = 'unknown') as oldest_unknown_at,
     count(*) filter (where a.state in ('reversal_due', 'reversing')) as reversing,
     count(*) filter (where u.is_late) as late,
     (select count(*) from manual_attempt) as manual
   from unresolved_attempt u join attempt a using (attempt_id)`,
)

const listBacklogStatement = statement(
  'list_backlog',
  [text, int4],
  {
    attempt_id: int8,
    account_code: text,
    merchant_number: int4,
    kind: text,
    total_minor: int8,
    currency: text,
    standing: text,
    acquirer_ref: text,
    created_at: timestamptz,
    since: timestamptz,
  },
  `select l.attempt_id, c.account_code, a.merchant_number, a.kind, a.total_minor, a.currency, s.standing,
     a.acquirer_ref, a.created_at, l.since
   from (
     select attempt_id, since, is_late, false as is_manual from unresolved_attempt
     union all select attempt_id, since, is_late, true from manual_attempt
   ) l join attempt a using (attempt_id) join account c using (account_id),
     lateral (
       select case when l.is_manual then 'manual' when l.is_late then 'late' else a.state end as standing
     ) s
   where $1 = '' or s.standing = $1
   order by l.since, l.attempt_id limit $2::int4`,
)

const countOpenStatement = statement(
  'count_open_attempts_of_account',
  [int8],
  { attempts: int4 },
  `select count(*)::int4 as attempts
   from (
     select attempt_id from unresolved_attempt
     union select attempt_id from manual_attempt
     union select attempt_id from attempt
       where attempt_id > (select attempt_id from recovery_watermark) and state = 'sending'
   ) l join attempt a using (attempt_id)
   where a.account_id = $1`,
)

// Above the watermark alone, as the recoverer looks for those whose holder is lost.
const countUnansweredStatement = statement(
  'count_unanswered',
  [timestamptz],
  { attempts: int4 },
  `select count(*)::int4 as attempts from attempt
   where attempt_id > (select attempt_id from recovery_watermark) and state = 'sending'
     and lease_until <= $1`,
)

// On the way, without an outcome, being taken back, or in an operator's hands.
export async function countOpenAttempts(db: Queryable, account: AccountId): Promise<number> {
  const [row] = await db.run(countOpenStatement, [account])
  return row?.attempts ?? 0
}

// Sent, without an outcome, and with a lease that ends by then.
export async function countSending(db: Queryable, leaseEndsBy: Temporal.Instant): Promise<number> {
  const [row] = await db.run(countUnansweredStatement, [leaseEndsBy])
  return row?.attempts ?? 0
}

export async function countBacklog(db: Queryable): Promise<Backlog> {
  const [row] = await db.run(countBacklogStatement, [])
  return {
    unknown: Number(row?.unknown ?? 0),
    oldestUnknownAt: row?.oldest_unknown_at ?? null,
    reversing: Number(row?.reversing ?? 0),
    late: Number(row?.late ?? 0),
    manual: Number(row?.manual ?? 0),
  }
}

export type OpenAttempt = {
  readonly attemptId: AttemptId
  readonly accountCode: string
  readonly merchantNumber: number
  readonly kind: AttemptKind
  readonly total: Money
  readonly standing: string
  readonly ref: string
  readonly createdAt: Temporal.Instant
  readonly since: Temporal.Instant
}

// The oldest first; an empty standing is any.
export async function listBacklog(
  db: Queryable,
  { standing, most }: { standing: string; most: number },
): Promise<readonly OpenAttempt[]> {
  const rows = await db.run(listBacklogStatement, [standing, most])
  return rows.map((row) => ({
    attemptId: attemptId(row.attempt_id),
    accountCode: row.account_code,
    merchantNumber: row.merchant_number,
    kind: row.kind as AttemptKind,
    total: { minor: row.total_minor, currency: row.currency as Currency },
    standing: row.standing,
    ref: row.acquirer_ref,
    createdAt: row.created_at,
    since: row.since,
  }))
}
