import { countDeliveries, type DeliveryCounts } from '#capabilities/webhooks/delivery-log.store.ts'
import type { Endpoint } from '#capabilities/webhooks/endpoint.ts'
import { loadEndpoints } from '#capabilities/webhooks/endpoint.store.ts'
import type { WebhookNeeds } from '#capabilities/webhooks/webhook-needs.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { AccountId } from '#kernel/ids.ts'
import { ok, type Ok } from '#kernel/result.ts'

export type ListedWebhook = Endpoint & DeliveryCounts

type Needs = Pick<WebhookNeeds, 'db'>

// All endpoints of the account, disabled ones too, with what waits for them and what never arrived.
export async function listWebhooks(
  needs: Needs,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<Ok<readonly ListedWebhook[]>> {
  return ok(await listWebhooksOf(needs, accountId))
}

export async function listWebhooksOf({ db }: Needs, accountId: AccountId): Promise<readonly ListedWebhook[]> {
  const [endpoints, counts] = await Promise.all([
    loadEndpoints(db, accountId),
    countDeliveries(db, accountId),
  ])
  const none = { waiting: 0, dead: 0 }
  return endpoints.map((one) => ({ ...one, ...(counts.get(one.endpointId) ?? none) }))
}
