import { endEndpoint } from '#capabilities/webhooks/end-endpoint.operation.ts'
import type { EndpointId } from '#capabilities/webhooks/endpoint.ts'
import { type EndpointKey, loadEndpoints } from '#capabilities/webhooks/endpoint.store.ts'
import type { WebhookNeeds } from '#capabilities/webhooks/webhook-needs.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { worksFor } from '#engine/merchants/merchant.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import { transactAgain } from '#platform/postgres/database.ts'

type Needs = Pick<WebhookNeeds, 'db' | 'clock' | 'accountClock'>

export function disableWebhook(needs: Needs, { accountId, merchantNumber }: Caller, endpointId: EndpointId) {
  return disableWebhookOf(needs, { accountId, merchantNumber, endpointId })
}

// Nothing more is sent there. What was waiting is listed as undelivered. Doing it twice is no error.
export async function disableWebhookOf(
  needs: Needs,
  { accountId, merchantNumber, endpointId }: EndpointKey & Pick<Caller, 'merchantNumber'>,
): Promise<Result<EndpointId, 'webhook_not_found'>> {
  return transactAgain(needs.db, async (tx) => {
    const known = (await loadEndpoints(tx, accountId)).find((one) => one.endpointId === endpointId)
    if (!known || !worksFor({ merchantNumber }, known)) return refuse('webhook_not_found')
    await endEndpoint(needs, tx, { accountId, endpointId, because: 'On request' })
    return ok(endpointId)
  })
}
