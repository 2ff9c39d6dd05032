import { int4, int8, timestamptz } from '#platform/postgres/column-type.ts'
import type { Queryable } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

// Never one whose outcome is not known, or whose merchant has not been told.
const removeFormsStatement = statement(
  'remove_forms',
  [timestamptz, timestamptz, int4],
  { form_id: int8 },
  `delete from form where form_id in (
     select form_id from form
     where expires_at < $1 and is_posted
       and (state in ('open', 'closed', 'expired') or (state = 'paid' and expires_at < $2))
     order by expires_at limit $3::integer)
   returning form_id`,
)

type Ends = {
  readonly unpaidBefore: Temporal.Instant
  readonly paidBefore: Temporal.Instant
  readonly most: number
}

// Answers how many.
export async function removeForms(db: Queryable, { unpaidBefore, paidBefore, most }: Ends): Promise<number> {
  return (await db.run(removeFormsStatement, [unpaidBefore, paidBefore, most])).length
}
