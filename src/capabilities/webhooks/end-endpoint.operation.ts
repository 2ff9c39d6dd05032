import { endWaitingDeliveries } from '#capabilities/webhooks/delivery.store.ts'
import { disableEndpoint, type EndpointKey } from '#capabilities/webhooks/endpoint.store.ts'
import type { WebhookNeeds } from '#capabilities/webhooks/webhook-needs.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import type { Tx } from '#platform/postgres/database.ts'

type Needs = Pick<WebhookNeeds, 'clock' | 'accountClock'>

// Nothing more is sent to an endpoint: what was waiting is listed as undelivered, and the account's other
// endpoints are told, as is whoever asks for events. Answers whether it was active.
export async function endEndpoint(
  { clock, accountClock }: Needs,
  tx: Tx,
  { because, ...endpoint }: EndpointKey & { readonly because: string },
): Promise<boolean> {
  const { accountId, endpointId } = endpoint
  const at = accountClock.now(accountId)
  const ended = await disableEndpoint(tx, endpoint, { because, at })
  // From here on nothing is added to what waits.
  await endWaitingDeliveries(tx, endpointId, { because: 'The endpoint is disabled', at: clock.now() })
  if (!ended) return false
  const body = { host: new URL(ended.url).host, because, merchant: String(ended.merchantNumber ?? '') }
  await appendEvents(tx, [{ accountId, type: 'webhook.disabled', objectId: endpointId, body }], at)
  return true
}
