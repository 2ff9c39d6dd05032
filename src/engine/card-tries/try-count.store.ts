import { noTries, type TrySum } from '#engine/card-tries/card-counts.ts'
import { arrayOf, bytea, int4, timestamptz } from '#platform/postgres/column-type.ts'
import { columnsOf } from '#platform/postgres/columns.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const addTriesStatement = statement(
  'add_card_tries',
  [arrayOf(bytea), arrayOf(timestamptz), arrayOf(int4), arrayOf(int4), arrayOf(int4)],
  {},
  `insert into card_try_count as c (key_digest, counted_at, tries, declines, invalid)
   select i.* from unnest($1::bytea[], $2::timestamptz[], $3::int[], $4::int[], $5::int[])
     as i (key_digest, counted_at, tries, declines, invalid)
   order by i.key_digest
   on conflict (key_digest, counted_at) do update
     set tries = c.tries + excluded.tries, declines = c.declines + excluded.declines,
       invalid = c.invalid + excluded.invalid`,
)

const sumTriesStatement = statement(
  'sum_card_tries',
  [arrayOf(bytea), arrayOf(timestamptz)],
  { key_digest: bytea, tries: int4, declines: int4, invalid: int4 },
  `select c.key_digest, sum(c.tries)::integer as tries, sum(c.declines)::integer as declines,
     sum(c.invalid)::integer as invalid
   from unnest($1::bytea[], $2::timestamptz[]) as k (key_digest, since)
     join card_try_count c on c.key_digest = k.key_digest and c.counted_at > k.since
   group by c.key_digest`,
)

const removeTriesStatement = statement(
  'remove_old_card_tries',
  [timestamptz],
  {},
  `delete from card_try_count where counted_at <= $1`,
)

export type CountedTries = TrySum & { readonly key: Buffer; readonly at: Temporal.Instant }
export type CountedSince = { readonly key: Buffer; readonly since: Temporal.Instant }

const columnsOfAdded = columnsOf<CountedTries>()(
  ({ key }) => key,
  ({ at }) => at,
  ({ tries }) => tries,
  ({ declines }) => declines,
  ({ invalid }) => invalid,
)
const columnsOfSummed = columnsOf<CountedSince>()(
  ({ key }) => key,
  ({ since }) => since,
)

export async function addTries(db: Queryable, added: readonly CountedTries[]): Promise<void> {
  await db.run(addTriesStatement, columnsOfAdded(added))
}

// In the order in which they were asked for.
export async function sumTries(db: Queryable, counted: readonly CountedSince[]): Promise<readonly TrySum[]> {
  const rows = await db.run(sumTriesStatement, columnsOfSummed(counted))
  return counted.map(({ key }) => rows.find((row) => row.key_digest.equals(key)) ?? noTries)
}

export async function removeTries(db: Queryable, before: Temporal.Instant): Promise<void> {
  await db.run(removeTriesStatement, [before])
}
