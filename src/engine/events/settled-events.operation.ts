import { setTimeout as delay } from 'node:timers/promises'
import type { EngineContext } from '#engine/context.ts'
import { readLastDrawn, readTransactionsUnderWay } from '#engine/events/event.store.ts'

// A charge commits within milliseconds.
const looksMs = [0, 1, 2, 5, 10, 20, 40, 80]

// Up to which id every event is either there to be read or will never be. Ids are drawn before they are
// committed, so a lower one may appear after a higher one; whoever reads by a cursor and went past it would
// never see it. null when a transaction goes on for so long that nothing can be said now.
export async function settledUpTo({ db }: Pick<EngineContext, 'db'>): Promise<bigint | null> {
  const lastDrawn = await readLastDrawn(db)
  let next: bigint | null = null
  for (const waitMs of looksMs) {
    if (waitMs > 0) await delay(waitMs)
    const underWay = await readTransactionsUnderWay(db)
    next ??= underWay.next
    if (underWay.oldest >= next) return lastDrawn
  }
  return null
}
