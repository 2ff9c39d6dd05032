import { formColumns, formFromRow, formSelection } from '#capabilities/forms/form.store.ts'
import type { Form, FormId } from '#capabilities/forms/form.ts'
import { int4, int8 } from '#platform/postgres/column-type.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'

const listUnpostedStatement = statement(
  'list_unposted_forms',
  [int8, int4],
  { form_id: int8 },
  `select form_id from form where not is_posted and form_id > $1 order by form_id limit $2::integer`,
)

const lockUnpostedStatement = statement(
  'lock_unposted_form',
  [int8],
  formColumns,
  `${formSelection}
   where not f.is_posted and f.form_id = $1
   for update of f skip locked`,
)

const markPostedStatement = statement(
  'mark_form_posted',
  [int8],
  {},
  `update form set is_posted = true where form_id = $1`,
)

type Portion = { readonly after: bigint; readonly most: number }

// Paid forms whose merchant's system has not been told.
export async function listUnposted(db: Queryable, { after, most }: Portion): Promise<readonly FormId[]> {
  return (await db.run(listUnpostedStatement, [after, most])).map((row) => row.form_id as FormId)
}

// null when it was told, or when somebody else is about to.
export async function lockUnposted(tx: Tx, form: FormId): Promise<Form | null> {
  const [row] = await tx.run(lockUnpostedStatement, [form])
  return row ? formFromRow(row) : null
}

export async function markPosted(tx: Tx, form: FormId): Promise<void> {
  await tx.run(markPostedStatement, [form])
}
