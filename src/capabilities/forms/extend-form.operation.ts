import { extendForm } from '#capabilities/forms/form.store.ts'
import { extraMinutes, type Form } from '#capabilities/forms/form.ts'
import type { EngineContext } from '#engine/context.ts'

// Gives a slow payer more time, once. Answers whether there is more now.
export function giveMoreTime(
  { db }: Pick<EngineContext, 'db'>,
  { form: { formId, expiresAt }, now }: { readonly form: Form; readonly now: Temporal.Instant },
): Promise<boolean> {
  return extendForm(db, { form: formId, until: expiresAt.add({ minutes: extraMinutes }), now })
}
