import { removeOld } from '#engine/look-alikes/look-alike.store.ts'
import type { EngineContext } from '#engine/context.ts'

const portion = 5_000

// Forgets references whose time is over. By real time, which the clock of an account is never behind. Answers
// how many went.
export async function removeOldLookAlikes({
  db,
  clock,
}: Pick<EngineContext, 'db' | 'clock'>): Promise<number> {
  const before = clock.now()
  let removed = 0
  let last = portion
  while (last === portion) {
    last = await removeOld(db, { before, most: portion })
    removed += last
  }
  return removed
}
