import { messageOf, recordOf, type StoredEvent } from '#capabilities/webhooks/event-message.ts'
import { loadEvents } from '#capabilities/webhooks/load-events.operation.ts'
import type { WebhookNeeds } from '#capabilities/webhooks/webhook-needs.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { settledUpTo } from '#engine/events/settled-events.operation.ts'
import { worksFor } from '#engine/merchants/merchant.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import { webhookId } from '#platform/crypto/standard-webhooks.ts'

export type EventQuestion = { readonly after: bigint; readonly most: number }

export type ToldEvent = Pick<StoredEvent, 'eventId' | 'type' | 'objectId' | 'createdAt'> & {
  readonly messageId: string
  readonly body: string
}

export type ToldEvents = {
  readonly events: readonly ToldEvent[]
  // Where to go on. Everything up to it was told or does not concern the caller.
  readonly cursor: bigint
  readonly hasMore: boolean
}

type Needs = Pick<WebhookNeeds, 'db' | 'keyRing'>

// What happened after a cursor, oldest first, as webhooks tell it. An event that is still being committed
// holds back those behind it, so whoever goes on from the cursor misses none.
export async function queryEvents(
  { db, keyRing }: Needs,
  caller: Caller,
  { after, most }: EventQuestion,
): Promise<Result<ToldEvents, 'busy'>> {
  const upTo = await settledUpTo({ db })
  if (upTo === null) return refuse('busy')
  if (after >= upTo) return ok({ events: [], cursor: after, hasMore: false })
  const { events: found, goOnAfter } = await loadEvents(db, caller.accountId, { after, upTo, most })
  // Whoever works for one merchant record hears of that one alone, and goes on behind the others.
  const theirs = found.filter((event) => worksFor(caller, { merchantNumber: recordOf(event) }))
  const events = theirs.map((event) => told(event, keyRing.mode === 'sandbox'))
  return ok({ events, cursor: goOnAfter ?? upTo, hasMore: goOnAfter !== null })
}

function told(event: StoredEvent, isSandbox: boolean): ToldEvent {
  const { eventId, type, objectId, createdAt } = event
  const body = JSON.stringify(messageOf(event, isSandbox))
  return { eventId, type, objectId, createdAt, messageId: webhookId(`evt_${eventId}`, body), body }
}
