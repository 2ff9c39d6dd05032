import { arrayOf, bool, int8, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const putManualStatement = statement(
  'put_manual',
  [arrayOf(int8), timestamptz, bool],
  {},
  `insert into manual_attempt (attempt_id, since, is_late)
   select attempt_id, $2, $3 from unnest($1::int8[]) as i (attempt_id)`,
)

const removeManualStatement = statement(
  'remove_manual',
  [arrayOf(int8)],
  { attempt_id: int8 },
  `delete from manual_attempt where attempt_id = any($1) returning attempt_id`,
)

const findLateManualStatement = statement(
  'find_late_manual',
  [int8],
  { attempt_id: int8 },
  `select attempt_id from manual_attempt where attempt_id = $1 and is_late`,
)

type Put = { readonly ids: readonly bigint[]; readonly at: Temporal.Instant; readonly isLate: boolean }

// The list of what only an operator can end.
export async function putManual(tx: Tx, { ids, at, isLate }: Put): Promise<void> {
  await tx.run(putManualStatement, [ids, at, isLate])
}

// Answers how many stood there.
export async function removeManual(tx: Tx, ids: readonly bigint[]): Promise<number> {
  return (await tx.run(removeManualStatement, [ids])).length
}

export async function hasLateManual(db: Queryable, id: bigint): Promise<boolean> {
  return (await db.run(findLateManualStatement, [id])).length > 0
}
