import type { Delivery, DeliveryState, Try } from '#capabilities/webhooks/delivery.ts'
import { findDelivery, loadDeliveries, loadTries } from '#capabilities/webhooks/delivery-log.store.ts'
import type { WebhookNeeds } from '#capabilities/webhooks/webhook-needs.ts'
import type { AccountId } from '#kernel/ids.ts'

type Needs = Pick<WebhookNeeds, 'db'>

export function listDeliveries(
  { db }: Needs,
  accountId: AccountId,
  wanted: { readonly state: DeliveryState | null; readonly most: number },
): Promise<readonly Delivery[]> {
  return loadDeliveries(db, accountId, wanted)
}

export type ShownDelivery = { readonly delivery: Delivery; readonly tries: readonly Try[] }

// The exact bytes, and what came of each try.
export async function showDelivery(
  { db }: Needs,
  accountId: AccountId,
  deliveryId: bigint,
): Promise<ShownDelivery | null> {
  const delivery = await findDelivery(db, accountId, deliveryId)
  return delivery && { delivery, tries: await loadTries(db, delivery.deliveryId) }
}
