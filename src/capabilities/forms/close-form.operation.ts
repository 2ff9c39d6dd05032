import { markClosed } from '#capabilities/forms/form.store.ts'
import type { Form } from '#capabilities/forms/form.ts'
import type { Tx } from '#platform/postgres/database.ts'

// Too much was tried: an open form takes no payment any more. Part of the caller's transaction.
export function closeForm(tx: Tx, { formId }: Pick<Form, 'formId'>): Promise<void> {
  return markClosed(tx, formId)
}
