import { forgetPayers } from '#capabilities/links/link-life.store.ts'
import type { EngineContext } from '#engine/context.ts'

// As long as messages are kept.
const keptDays = 90
const portion = 1_000

// A link that is over says something about its payer for no reason any more. What was paid, and by which
// reference of the merchant's, stays.
export async function forgetOldLinks({ db, clock }: Pick<EngineContext, 'db' | 'clock'>): Promise<void> {
  const before = clock.now().subtract({ hours: 24 * keptDays })
  let forgotten: number
  do forgotten = await forgetPayers(db, { before, most: portion })
  while (forgotten === portion)
}
