import { insertDeliveries } from '#capabilities/webhooks/delivery.store.ts'
import { renewDeliveries } from '#capabilities/webhooks/delivery-log.store.ts'
import type { Endpoint, EndpointId } from '#capabilities/webhooks/endpoint.ts'
import { loadEndpoints } from '#capabilities/webhooks/endpoint.store.ts'
import type { StoredEvent } from '#capabilities/webhooks/event-message.ts'
import { deliveriesFor } from '#capabilities/webhooks/fan-out-events.operation.ts'
import { loadEvents } from '#capabilities/webhooks/load-events.operation.ts'
import type { WebhookNeeds } from '#capabilities/webhooks/webhook-needs.ts'
import { settledUpTo } from '#engine/events/settled-events.operation.ts'
import type { AccountId } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import { transactAgain } from '#platform/postgres/database.ts'

type Needs = Pick<WebhookNeeds, 'db' | 'accountClock' | 'keyRing'>

// Sends again, with the same ids and the same bytes. Nothing happens here and now: the dispatcher finds it.

export function replayMessage(needs: Needs, accountId: AccountId, messageId: string): Promise<number> {
  const at = needs.accountClock.now(accountId)
  const renewal = { by: 'message', messageId } as const
  return transactAgain(needs.db, (tx) => renewDeliveries(tx, accountId, { renewal, at }))
}

// Everything that never arrived, except at endpoints that are disabled.
export function replayDead(needs: Needs, accountId: AccountId): Promise<number> {
  const at = needs.accountClock.now(accountId)
  return transactAgain(needs.db, (tx) => renewDeliveries(tx, accountId, { renewal: { by: 'death' }, at }))
}

export type ReplayRange = {
  readonly accountId: AccountId
  readonly endpointId: EndpointId
  readonly from: Temporal.Instant
  readonly until: Temporal.Instant
}

const portion = 1_000
// Five seconds in all: an operator rather waits than asks again.
const patientLooksMs = [10, 20, 40, 80, 160, 320, 640, 1_000, 1_000, 1_000, 1_000]

// All events of that time that the endpoint wants, also those from before it was added.
export async function replayRange(
  needs: Needs,
  { accountId, endpointId, from, until }: ReplayRange,
): Promise<Result<number, 'webhook_not_found' | 'events_not_settled'>> {
  const endpoints = await loadEndpoints(needs.db, accountId)
  const endpoint = endpoints.find((one) => one.endpointId === endpointId && one.isActive)
  if (!endpoint) return refuse('webhook_not_found')
  const upTo = await settledUpTo(needs, patientLooksMs)
  if (upTo === null) return refuse('events_not_settled')
  let after = 0n
  let sum = 0
  while (after < upTo) {
    const { events, goOnAfter } = await loadEvents(needs.db, accountId, { after, upTo, most: portion })
    const chosen = events.filter(({ createdAt }) => isWithin(createdAt, { from, until }))
    if (chosen.length > 0) sum += await sendAgain(needs, endpoint, chosen)
    after = goOnAfter ?? upTo
  }
  return ok(sum)
}

function isWithin(moment: Temporal.Instant, { from, until }: Pick<ReplayRange, 'from' | 'until'>): boolean {
  return Temporal.Instant.compare(from, moment) <= 0 && Temporal.Instant.compare(moment, until) <= 0
}

// What was sent once keeps its bytes; what never was is written now.
function sendAgain(needs: Needs, endpoint: Endpoint, events: readonly StoredEvent[]): Promise<number> {
  const { accountId, endpointId } = endpoint
  const at = needs.accountClock.now(accountId)
  const deliveries = deliveriesFor(needs, [endpoint], events)
  const eventIds = deliveries.flatMap(({ eventId }) => (eventId === null ? [] : [eventId]))
  return transactAgain(needs.db, async (tx) => {
    const renewed = await renewDeliveries(tx, accountId, {
      renewal: { by: 'events', endpointId, eventIds },
      at,
    })
    return renewed + (await insertDeliveries(tx, deliveries))
  })
}
