import { laneOfEndpoint, type NewDelivery } from '#capabilities/webhooks/delivery.ts'
import { type DueLane, insertDeliveries, listDueLanes } from '#capabilities/webhooks/delivery.store.ts'
import { type Endpoint, wants } from '#capabilities/webhooks/endpoint.ts'
import { loadActiveEndpoints } from '#capabilities/webhooks/endpoint.store.ts'
import { messageOf, type StoredEvent } from '#capabilities/webhooks/event-message.ts'
import { loadEventsOfAccounts } from '#capabilities/webhooks/load-events.operation.ts'
import { lockCursor, moveCursor } from '#capabilities/webhooks/stored-event.store.ts'
import type { WebhookNeeds } from '#capabilities/webhooks/webhook-needs.ts'
import { settledUpTo } from '#engine/events/settled-events.operation.ts'
import { webhookId } from '#platform/crypto/standard-webhooks.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { enqueue } from '#platform/tasks/task-queue.ts'
import type { TaskKind } from '#platform/tasks/task.ts'

type Needs = Pick<
  WebhookNeeds,
  'deliveryDb' | 'clock' | 'accountClock' | 'movedClocks' | 'keyRing' | 'sending'
>

// Ids that are gone through in one transaction.
const portion = 2_000n

// Hands new events to the endpoints that want them. Runs behind the charges that write events and costs them
// nothing. Where the cursor stands and what was handed over are one commit, so nothing is left out or handed
// over twice, whoever dies when. A restored or copied database tells nobody until an operator confirms.
export async function fanOutEvents(needs: Needs): Promise<number> {
  if (needs.sending.hold) return 0
  const upTo = await settledUpTo({ db: needs.deliveryDb })
  if (upTo === null) return 0
  let made = 0
  let isDone = false
  while (!isDone) {
    const done = await needs.deliveryDb.inTransaction((tx) => fanOutPortion(needs, tx, upTo))
    made += done.made
    isDone = done.isAtEnd
  }
  return made
}

async function fanOutPortion(needs: Needs, tx: Tx, end: bigint) {
  const after = await lockCursor(tx)
  if (after >= end) return { made: 0, isAtEnd: true }
  // Read after the events were settled: whoever was added before they happened is among them.
  const endpoints = await loadActiveEndpoints(tx)
  const upTo = endpoints.length === 0 || after + portion > end ? end : after + portion
  const accounts = [...new Set(endpoints.map(({ accountId }) => accountId))]
  const events = accounts.length === 0 ? [] : await loadEventsOfAccounts(tx, accounts, { after, upTo })
  const made = await insertDeliveries(tx, deliveriesFor(needs, endpoints, events))
  await moveCursor(tx, upTo)
  return { made, isAtEnd: upTo === end }
}

// Endpoint by endpoint, so that rows of one lane stand together.
export function deliveriesFor(
  needs: Pick<Needs, 'keyRing' | 'accountClock'>,
  endpoints: readonly Endpoint[],
  events: readonly StoredEvent[],
): readonly NewDelivery[] {
  const byAccount = Map.groupBy(events, ({ accountId }) => accountId)
  return endpoints.flatMap((endpoint) =>
    (byAccount.get(endpoint.accountId) ?? [])
      .filter((event) => wants(endpoint, event))
      .map((event) => deliveryFor(needs, endpoint, event)),
  )
}

function deliveryFor(
  { keyRing, accountClock }: Pick<Needs, 'keyRing' | 'accountClock'>,
  { endpointId, accountId, url }: Endpoint,
  event: StoredEvent,
): NewDelivery {
  const body = JSON.stringify(messageOf(event, keyRing.mode === 'sandbox'))
  return {
    accountId,
    lane: laneOfEndpoint(endpointId),
    endpointId,
    eventId: event.eventId,
    messageId: webhookId(`evt_${event.eventId}`, body),
    method: 'POST',
    url,
    body,
    at: accountClock.now(accountId),
  }
}

export const deliverLaneKind: TaskKind<null> = { kind: 'webhooks.deliver', read: () => null }

// Asks for a run of every lane in which something is due, retries included.
export async function wakeLanes(needs: Needs): Promise<readonly DueLane[]> {
  if (needs.sending.hold) return []
  const { clock, accountClock, movedClocks, deliveryDb } = needs
  const moved = movedClocks.moved.map((accountId) => ({ accountId, now: accountClock.now(accountId) }))
  const lanes = await listDueLanes(deliveryDb, { only: null, now: clock.now(), moved })
  const orders = lanes.map(({ lane, accountId }) => ({ key: lane, payload: null, accountId }))
  if (orders.length > 0) await enqueue(deliveryDb, deliverLaneKind, ...orders)
  return lanes
}
