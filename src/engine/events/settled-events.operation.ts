import { setTimeout as delay } from 'node:timers/promises'
import {
  areWritersUnderWay,
  drawTransactionNumber,
  readLastDrawn,
  readOldestUnderWay,
} from '#engine/events/event.store.ts'
import type { Database } from '#platform/postgres/database.ts'

// A charge commits within milliseconds.
const quickLooksMs = [0, 1, 2, 5]
const laterLooksMs = [10, 20, 40, 80]

// Up to which id every event is either there to be read or will never be. Ids are drawn before they are
// committed, so a lower one may appear after a higher one; whoever reads by a cursor and went past it would
// never see it. null when a transaction that writes events goes on for so long that nothing can be said now.
export async function settledUpTo(
  { db }: { readonly db: Database },
  looksMs: readonly number[] = laterLooksMs,
): Promise<bigint | null> {
  const lastDrawn = await readLastDrawn(db)
  // Ids are drawn only by transactions that have a number already: this one is above all of theirs.
  const number = await drawTransactionNumber(db)
  for (const waitMs of quickLooksMs) {
    if (waitMs > 0) await delay(waitMs)
    if ((await readOldestUnderWay(db)) > number) return lastDrawn
  }
  // That something else on the server takes hours, an import or a forgotten session, must not hold webhooks
  // back. Who writes events is a dearer question.
  for (const waitMs of looksMs) {
    await delay(waitMs)
    if (!(await areWritersUnderWay(db, number))) return lastDrawn
  }
  return null
}
