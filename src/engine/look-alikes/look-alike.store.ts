import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { AccountId } from '#kernel/ids.ts'
import { arrayOf, bool, int4, int8, nullable, text, timestamptz } from '#platform/postgres/column-type.ts'
import { columnsOf } from '#platform/postgres/columns.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// Waits for whoever takes or frees the same right now. What is over by the account's clock is taken anew.
const takeText = `insert into look_alike as l (account_id, likeness, acquirer_ref, seen_at, over_at)
   select unnest($1::int8[]), unnest($2::int8[]), unnest($3::text[]), unnest($4::timestamptz[]),
     unnest($5::timestamptz[])
   on conflict (account_id, likeness) do update
     set acquirer_ref = excluded.acquirer_ref, seen_at = excluded.seen_at, over_at = excluded.over_at
     where l.over_at <= excluded.seen_at
   returning l.likeness`

const takeLookAlikesStatement = statement(
  'take_look_alikes',
  [arrayOf(int8), arrayOf(int8), arrayOf(text), arrayOf(timestamptz), arrayOf(timestamptz)],
  { likeness: int8 },
  takeText,
)

const takeAllLookAlikesStatement = statement(
  'take_all_look_alikes',
  [arrayOf(int8), arrayOf(int8), arrayOf(text), arrayOf(timestamptz), arrayOf(timestamptz)],
  { insisted: bool },
  `with taken as (${takeText})
   select insist('look_alikes_are_free', count(*) = cardinality($1::int8[])) as insisted from taken`,
)

const readTakersStatement = statement(
  'read_takers_of_look_alikes',
  [arrayOf(int8), arrayOf(int8)],
  { likeness: int8, attempt_id: int8 },
  `select l.likeness, a.attempt_id
   from unnest($1::int8[], $2::int8[]) as i (account_id, likeness)
   join look_alike l on l.account_id = i.account_id and l.likeness = i.likeness
   join attempt a on a.acquirer_ref = l.acquirer_ref`,
)

// Of the charge itself, or of the one that a void undoes. Nothing of one that has taken the same since.
const freeLookAlikesStatement = statement(
  'free_look_alikes',
  [arrayOf(int8), arrayOf(int8), arrayOf(text), arrayOf(nullable(int8))],
  {},
  `delete from look_alike l
   using unnest($1::int8[], $2::int8[], $3::text[], $4::int8[]) as i (account_id, likeness, ref, parent_id)
   where l.account_id = i.account_id and l.likeness = i.likeness and l.acquirer_ref = case
     when i.parent_id is null then i.ref
     else (select a.acquirer_ref from attempt a where a.attempt_id = i.parent_id) end`,
)

// Whoever is just taking one is not waited for.
const removeOldStatement = statement(
  'remove_old_look_alikes',
  [timestamptz, int4],
  { likeness: int8 },
  `delete from look_alike where (account_id, likeness) in (
     select account_id, likeness from look_alike where over_at <= $1 order by over_at
     limit $2::int4 for update skip locked)
   returning likeness`,
)

export type Taking = {
  readonly account: AccountId
  readonly likeness: bigint
  readonly ref: AcquirerRef
  // By the clock of the account, both.
  readonly seenAt: Temporal.Instant
  readonly overAt: Temporal.Instant
}

const columnsOfTakings = columnsOf<Taking>()(
  ({ account }) => account,
  ({ likeness }) => likeness,
  ({ ref }) => ref,
  ({ seenAt }) => seenAt,
  ({ overAt }) => overAt,
)

// Takes and locks what is free, and locks the rest as well. Answers what it took. None may be named twice.
export async function lockAndTake(tx: Tx, takings: readonly Taking[]): Promise<ReadonlySet<bigint>> {
  const rows = await tx.run(takeLookAlikesStatement, columnsOfTakings(takings))
  return new Set(rows.map((row) => row.likeness))
}

// The same where all are believed to be free. Where one is not, the transaction fails (isUnmet).
export async function takeAll(tx: Tx, takings: readonly Taking[]): Promise<void> {
  await tx.run(takeAllLookAlikesStatement, columnsOfTakings(takings))
}

// The charges that have them.
export async function readTakers(
  tx: Tx,
  takings: readonly Pick<Taking, 'account' | 'likeness'>[],
): Promise<ReadonlyMap<bigint, bigint>> {
  const rows = await tx.run(readTakersStatement, [
    takings.map(({ account }) => account),
    takings.map(({ likeness }) => likeness),
  ])
  return new Map(rows.map((row) => [row.likeness, row.attempt_id]))
}

type Freed = Pick<Taking, 'account' | 'likeness' | 'ref'> & {
  // The charge that is undone; null: it is the charge itself.
  readonly parent: bigint | null
}

export async function free(tx: Tx, freed: readonly Freed[]): Promise<void> {
  await tx.run(freeLookAlikesStatement, [
    freed.map(({ account }) => account),
    freed.map(({ likeness }) => likeness),
    freed.map(({ ref }) => ref),
    freed.map(({ parent }) => parent),
  ])
}

// Answers how many went.
export async function removeOld(
  db: Queryable,
  { before, most }: { readonly before: Temporal.Instant; readonly most: number },
): Promise<number> {
  return (await db.run(removeOldStatement, [before, most])).length
}
