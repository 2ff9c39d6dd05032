import { endWaitingDeliveries } from '#capabilities/webhooks/delivery.store.ts'
import type { EndpointId } from '#capabilities/webhooks/endpoint.ts'
import { disableEndpoint, type EndpointKey, loadEndpoints } from '#capabilities/webhooks/endpoint.store.ts'
import type { WebhookNeeds } from '#capabilities/webhooks/webhook-needs.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import { transactAgain } from '#platform/postgres/database.ts'

type Needs = Pick<WebhookNeeds, 'db' | 'clock' | 'accountClock'>

export function disableWebhook(needs: Needs, { accountId }: Caller, endpointId: EndpointId) {
  return disableWebhookOf(needs, { accountId, endpointId })
}

// Nothing more is sent there. What was waiting is listed as undelivered. Doing it twice is no error.
export async function disableWebhookOf(
  { db, clock, accountClock }: Needs,
  endpoint: EndpointKey,
): Promise<Result<EndpointId, 'webhook_not_found'>> {
  const { accountId, endpointId } = endpoint
  return transactAgain(db, async (tx) => {
    const known = await loadEndpoints(tx, accountId)
    if (!known.some((one) => one.endpointId === endpointId)) return refuse('webhook_not_found')
    await endWaitingDeliveries(tx, endpointId, { because: 'The endpoint is disabled', at: clock.now() })
    await disableEndpoint(tx, endpoint, { because: 'On request', at: accountClock.now(accountId) })
    return ok(endpointId)
  })
}
