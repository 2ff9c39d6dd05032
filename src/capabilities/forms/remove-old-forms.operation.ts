import { removeForms } from '#capabilities/forms/form-removal.store.ts'
import type { EngineContext } from '#engine/context.ts'

// A form that nobody paid says something about its payer for no reason.
const unpaidDays = 30
// What was authorized on a form has to be shown for two years after it was debited.
const paidDays = 1_100
const portion = 1_000

// Forgets forms and what they say about payers. What was paid stays in the books.
export async function removeOldForms({ db, clock }: Pick<EngineContext, 'db' | 'clock'>): Promise<void> {
  const now = clock.now()
  const ends = {
    unpaidBefore: now.subtract({ hours: 24 * unpaidDays }),
    paidBefore: now.subtract({ hours: 24 * paidDays }),
  }
  let removed: number
  do removed = await removeForms(db, { ...ends, most: portion })
  while (removed === portion)
}
