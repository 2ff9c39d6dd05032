import { insertEvents } from '#engine/events/event.store.ts'
import type { NewEvent } from '#engine/events/event.ts'
import type { Tx } from '#platform/postgres/database.ts'

// Part of the transaction that makes the change, so that neither exists without the other.
export async function appendEvents(tx: Tx, events: readonly NewEvent[], at: Temporal.Instant): Promise<void> {
  if (events.length > 0) await insertEvents(tx, events, at)
}
