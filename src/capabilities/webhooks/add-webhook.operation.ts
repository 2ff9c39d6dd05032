import { type EndpointId, endpointsMax } from '#capabilities/webhooks/endpoint.ts'
import {
  insertEndpoint,
  loadEndpoints,
  lockAccountOfWebhooks,
} from '#capabilities/webhooks/endpoint.store.ts'
import type { WebhookNeeds } from '#capabilities/webhooks/webhook-needs.ts'
import { replaceSecret } from '#capabilities/webhooks/webhook-secrets.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EventType } from '#engine/events/event-registry.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Secret } from '#kernel/secret.ts'
import { readTarget } from '#platform/outbound/target-rule.ts'

export type WebhookWish = {
  readonly url: string
  readonly eventTypes: readonly EventType[]
  readonly description: string
}

export type AddedWebhook = { readonly endpointId: EndpointId; readonly secret: Secret; readonly url: string }
export type AddRefusal = 'webhook_address_refused' | 'webhook_exists' | 'too_many_webhooks'

type Needs = Pick<WebhookNeeds, 'db' | 'clock' | 'accountClock' | 'keyRing'>

// Registers an address that is told of events from now on: of those that whoever adds it may ask for. Its
// secret is shown this once.
export function addWebhook(needs: Needs, { accountId, merchantNumber, userId }: Caller, wish: WebhookWish) {
  return addWebhookOf(needs, { accountId, merchantNumber, createdBy: String(userId), ...wish })
}

type OwnedWish = WebhookWish & {
  readonly accountId: AccountId
  // null for all records of the account.
  readonly merchantNumber: MerchantNumber | null
  readonly createdBy: string
}

export async function addWebhookOf(
  needs: Needs,
  { accountId, ...wish }: OwnedWish,
): Promise<Result<AddedWebhook, AddRefusal>> {
  const target = readTarget(wish.url, needs.keyRing.mode)
  if (!target.ok) return refuse('webhook_address_refused', target.refusal.details)
  const url = target.value.href
  return needs.db.inTransaction(async (tx) => {
    await lockAccountOfWebhooks(tx, accountId)
    // Each record is counted for itself, so that nobody's limit depends on what they must not see.
    const active = (await loadEndpoints(tx, accountId)).filter(
      (one) => one.isActive && one.merchantNumber === wish.merchantNumber,
    )
    if (active.length >= endpointsMax) {
      const whose = wish.merchantNumber === null ? 'An account' : 'A merchant record'
      return refuse('too_many_webhooks', { whose, limit: endpointsMax })
    }
    const at = needs.accountClock.now(accountId)
    const endpointId = await insertEndpoint(tx, { ...wish, accountId, url }, at)
    if (endpointId === null) return refuse('webhook_exists')
    return ok({ endpointId, url, secret: await replaceSecret(needs, tx, { accountId, endpointId }) })
  })
}
