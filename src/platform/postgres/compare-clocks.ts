import type { Clock } from '#platform/clock.ts'
import { readServerTime } from '#platform/postgres/check-database.store.ts'
import type { Queryable } from '#platform/postgres/database.ts'

const differenceMsMax = 2_000

export type ClockComparison = { readonly isFar: boolean; readonly text: string }

// The clock of a node and that of its database. A node that is ahead takes over what others are still at:
// attempts, batches and runs under a key.
export async function compareClocks(needs: {
  readonly db: Queryable
  readonly clock: Clock
}): Promise<ClockComparison> {
  const before = needs.clock.now().epochMilliseconds
  const server = (await readServerTime(needs.db))?.epochMilliseconds ?? before
  const after = needs.clock.now().epochMilliseconds
  // Nobody knows when between the two it was read, so a slow answer is no difference.
  const [aheadMs, behindMs] = [Math.max(0, before - server), Math.max(0, server - after)]
  const isFar = Math.max(aheadMs, behindMs) > differenceMsMax
  const text = aheadMs > 0 ? `${aheadMs} ms ahead of the database's` : `${behindMs} ms behind the database's`
  return { isFar, text: aheadMs + behindMs === 0 ? "the same as the database's" : text }
}
