import assert from 'node:assert/strict'
import { mock } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { addWebhookOf } from '#capabilities/webhooks/add-webhook.operation.ts'
import { deliverLane } from '#capabilities/webhooks/deliver-lane.operation.ts'
import type { Delivery } from '#capabilities/webhooks/delivery.ts'
import type { EndpointId } from '#capabilities/webhooks/endpoint.ts'
import { fanOutEvents, wakeLanes } from '#capabilities/webhooks/fan-out-events.operation.ts'
import { listDeliveries } from '#capabilities/webhooks/show-deliveries.operation.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import type { EventType } from '#engine/events/event-registry.ts'
import type { NewEvent } from '#engine/events/event.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import type { Secret } from '#kernel/secret.ts'
import { makeAccount, type World } from './session-world.ts'
import type { Received } from './webhook-receiver.ts'

export type Shop = {
  readonly needs: World
  readonly accountId: AccountId
  readonly endpointId: EndpointId
  readonly secret: Secret
}

// An account that is told of its events at this address.
export async function openShop(
  needs: World,
  url: string,
  eventTypes: readonly EventType[] = [],
): Promise<Shop> {
  const { accountId } = await makeAccount(needs)
  return { needs, accountId, ...(await addEndpoint(needs, { accountId, url, eventTypes })) }
}

type Wish = {
  readonly accountId: AccountId
  readonly url: string
  readonly eventTypes?: readonly EventType[]
  readonly merchantNumber?: MerchantNumber | null
}

export async function addEndpoint(
  needs: World,
  { accountId, url, eventTypes = [], merchantNumber = null }: Wish,
) {
  const wish = { accountId, merchantNumber, url, eventTypes, description: '', createdBy: 'tester' }
  const added = await addWebhookOf(needs, wish)
  assert(added.ok, added.ok ? '' : added.refusal.kind)
  return added.value
}

export function eventOf(accountId: AccountId, objectId: number): NewEvent {
  const body = { alias: `till ${objectId}`, expiresAt: '2027-04-18T07:29:47.000Z', daysLeft: '30' }
  return { accountId, type: 'token.expiring', objectId: BigInt(objectId), body }
}

// Something happens to the account, so many times.
export async function happen({ needs, accountId }: Shop, times = 1): Promise<void> {
  const events = Array.from({ length: times }, (_, at) => eventOf(accountId, at + 1))
  await needs.db.inTransaction((tx) => appendEvents(tx, events, needs.accountClock.now(accountId)))
}

// One round of the dispatcher: new events are handed out, and whatever is due is tried.
export async function dispatch(needs: World): Promise<void> {
  await fanOutEvents(needs)
  const { signal } = new AbortController()
  const lanes = await wakeLanes(needs)
  await Promise.all(lanes.map((due) => deliverLane(needs, { ...due, signal })))
}

export function deliveriesOf({
  needs,
  accountId,
}: Pick<Shop, 'needs' | 'accountId'>): Promise<readonly Delivery[]> {
  return listDeliveries(needs, accountId, { state: null, most: 100_000 })
}

export async function statesOf(shop: Shop): Promise<readonly string[]> {
  return (await deliveriesOf(shop)).map(({ state, tries }) => `${state} ${tries}`)
}

// As a receiver would, with the public library, which asks for the time itself.
export function verify({ needs }: Pick<Shop, 'needs'>, secret: Secret, { body, headers }: Received): unknown {
  mock.timers.enable({ apis: ['Date'], now: needs.clock.now().epochMilliseconds })
  try {
    const texts = Object.entries(headers).map(([name, value]) => [name, String(value)])
    return new Webhook(secret.reveal()).verify(body, Object.fromEntries(texts))
  } finally {
    mock.timers.reset()
  }
}
