import type { AccountId } from '#kernel/ids.ts'
import { arrayOf, bool, int4, int8, nullable, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { type RowOf, statement } from '#platform/postgres/statement.ts'

const unresolvedColumns = {
  attempt_id: int8,
  since: timestamptz,
  checks: int4,
  not_found_at: nullable(timestamptz),
  is_late: bool,
} as const

const putUnresolvedStatement = statement(
  'put_unresolved',
  [arrayOf(int8), timestamptz, bool, bool],
  {},
  `insert into unresolved_attempt (attempt_id, next_check_at, since, is_late)
   select attempt_id, $2, $2, $3 from unnest($1::int8[]) as i (attempt_id)
   on conflict (attempt_id) do update set next_check_at = excluded.next_check_at, since = excluded.since,
     checks = 0, is_late = excluded.is_late,
     not_found_at = case when $4 then null else unresolved_attempt.not_found_at end`,
)

// Every attempt below it is final: nothing about it will change, not even by an operator.
const findFinalFloorStatement = statement(
  'find_final_floor',
  [],
  { floor: int8 },
  `select least(w.attempt_id + 1, (select min(attempt_id) from unresolved_attempt),
     (select min(attempt_id) from manual_attempt where not is_late)) as floor
   from recovery_watermark w`,
)

const removeUnresolvedStatement = statement(
  'remove_unresolved',
  [arrayOf(int8)],
  {},
  `delete from unresolved_attempt where attempt_id = any($1)`,
)

const postponeUnresolvedStatement = statement(
  'postpone_unresolved',
  [int8, timestamptz, bool, timestamptz],
  {},
  `update unresolved_attempt
   set next_check_at = $2, checks = checks + 1,
     not_found_at = case when $3 then coalesce(not_found_at, $4) else not_found_at end
   where attempt_id = $1`,
)

const listDueStatement = statement(
  'list_due_unresolved',
  [timestamptz, int4],
  unresolvedColumns,
  `select attempt_id, since, checks, not_found_at, is_late from unresolved_attempt
   where next_check_at <= $1 order by next_check_at limit $2::int4`,
)

const findUnresolvedStatement = statement(
  'find_unresolved',
  [int8],
  unresolvedColumns,
  `select attempt_id, since, checks, not_found_at, is_late from unresolved_attempt where attempt_id = $1`,
)

// Attempts above the watermark whose holder has not come back in time. The watermark is no table of its own
// beside them: joined, PostgreSQL may go through all attempts ever made to compare each with it.
const listLostStatement = statement(
  'list_lost_attempts',
  [timestamptz, int8, int4],
  { attempt_id: int8 },
  `select attempt_id from attempt
   where attempt_id > (select attempt_id from recovery_watermark) and attempt_id <= $2 and state = 'sending'
     and lease_until <= $1
   order by attempt_id limit $3::int4`,
)

const findNewestStatement = statement(
  'find_newest_attempt',
  [],
  { attempt_id: nullable(int8) },
  `select max(attempt_id) as attempt_id from attempt`,
)

// Up to the first attempt that is still under way, but never past what is old enough to be visible for
// sure: an id may have been drawn by a transaction that has not committed yet. A lease ends after its attempt
// was recorded, so it is never too old.
const raiseWatermarkStatement = statement(
  'raise_watermark',
  [timestamptz],
  { attempt_id: int8 },
  `update recovery_watermark w set attempt_id = greatest(w.attempt_id, coalesce(
     (select min(a.attempt_id) - 1 from attempt a where a.attempt_id > w.attempt_id
        and (a.state = 'sending' or a.lease_until >= $1)),
     (select max(a.attempt_id) from attempt a where a.attempt_id > w.attempt_id),
     w.attempt_id))
   returning attempt_id`,
)

const countUnresolvedStatement = statement(
  'count_unresolved_of_account',
  [int8],
  { attempts: int4 },
  `select count(*)::int4 as attempts from unresolved_attempt u join attempt a using (attempt_id)
   where a.account_id = $1`,
)

export type Unresolved = {
  readonly attemptId: bigint
  // When it became unknown, due for reversal, or was approved too late. Real time.
  readonly since: Temporal.Instant
  readonly checks: number
  readonly notFoundAt: Temporal.Instant | null
  readonly isLate: boolean
}

type Put = {
  readonly ids: readonly bigint[]
  readonly at: Temporal.Instant
  readonly isLate: boolean
  // What an earlier inquiry did not find is there after all.
  readonly isFound: boolean
}

export async function putUnresolved(tx: Queryable, { ids, at, isLate, isFound }: Put): Promise<void> {
  await tx.run(putUnresolvedStatement, [ids, at, isLate, isFound])
}

export async function removeUnresolved(tx: Tx, ids: readonly bigint[]): Promise<void> {
  await tx.run(removeUnresolvedStatement, [ids])
}

export async function postponeUnresolved(
  db: Queryable,
  {
    id,
    until,
    isNotFound,
    now,
  }: { id: bigint; until: Temporal.Instant; isNotFound: boolean; now: Temporal.Instant },
): Promise<void> {
  await db.run(postponeUnresolvedStatement, [id, until, isNotFound, now])
}

export async function listDueUnresolved(
  db: Queryable,
  now: Temporal.Instant,
  most: number,
): Promise<readonly Unresolved[]> {
  return (await db.run(listDueStatement, [now, most])).map(unresolvedFromRow)
}

export async function findUnresolved(db: Queryable, id: bigint): Promise<Unresolved | null> {
  const [row] = await db.run(findUnresolvedStatement, [id])
  return row ? unresolvedFromRow(row) : null
}

export async function countUnresolved(db: Queryable, account: AccountId): Promise<number> {
  const [row] = await db.run(countUnresolvedStatement, [account])
  return row?.attempts ?? 0
}

export async function listLostAttempts(
  db: Queryable,
  { now, upTo, most }: { now: Temporal.Instant; upTo: bigint; most: number },
): Promise<readonly bigint[]> {
  return (await db.run(listLostStatement, [now, upTo, most])).map((row) => row.attempt_id)
}

export async function findNewestAttempt(db: Queryable): Promise<bigint> {
  const [row] = await db.run(findNewestStatement, [])
  return row?.attempt_id ?? 0n
}

export async function raiseWatermark(db: Queryable, visibleBefore: Temporal.Instant): Promise<void> {
  await db.run(raiseWatermarkStatement, [visibleBefore])
}

function unresolvedFromRow(row: RowOf<typeof unresolvedColumns>): Unresolved {
  return {
    attemptId: row.attempt_id,
    since: row.since,
    checks: row.checks,
    notFoundAt: row.not_found_at,
    isLate: row.is_late,
  }
}

export async function findFinalFloor(db: Queryable): Promise<bigint> {
  const [row] = await db.run(findFinalFloorStatement, [])
  return row?.floor ?? 0n
}
