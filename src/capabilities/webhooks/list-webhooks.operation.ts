import { countDeliveries, type DeliveryCounts } from '#capabilities/webhooks/delivery-log.store.ts'
import type { Endpoint } from '#capabilities/webhooks/endpoint.ts'
import { loadEndpoints } from '#capabilities/webhooks/endpoint.store.ts'
import type { WebhookNeeds } from '#capabilities/webhooks/webhook-needs.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { worksFor } from '#engine/merchants/merchant.ts'
import type { AccountId } from '#kernel/ids.ts'
import { ok, type Ok } from '#kernel/result.ts'

export type ListedWebhook = Endpoint & DeliveryCounts

type Needs = Pick<WebhookNeeds, 'db'>

// All endpoints of the account, or of the caller's only record, disabled ones too, with what waits for them
// and what never arrived.
export async function listWebhooks(
  needs: Needs,
  caller: Pick<Caller, 'accountId' | 'merchantNumber'>,
): Promise<Ok<readonly ListedWebhook[]>> {
  const webhooks = await listWebhooksOf(needs, caller.accountId)
  return ok(webhooks.filter((one) => worksFor(caller, one)))
}

export async function listWebhooksOf({ db }: Needs, accountId: AccountId): Promise<readonly ListedWebhook[]> {
  const [endpoints, counts] = await Promise.all([
    loadEndpoints(db, accountId),
    countDeliveries(db, accountId),
  ])
  const none = { waiting: 0, dead: 0 }
  return endpoints.map((one) => ({ ...one, ...(counts.get(one.endpointId) ?? none) }))
}
