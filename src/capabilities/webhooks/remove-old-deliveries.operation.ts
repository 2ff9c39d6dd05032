import { deleteOldDeliveries } from '#capabilities/webhooks/delivery.store.ts'
import type { WebhookNeeds } from '#capabilities/webhooks/webhook-needs.ts'

const daysDelivered = 30
const daysDead = 90
const portion = 500

// The log of what was delivered is kept for a month, what never arrived for three. The events stay.
export async function removeOldDeliveries({
  deliveryDb,
  clock,
}: Pick<WebhookNeeds, 'deliveryDb' | 'clock'>): Promise<number> {
  const now = clock.now()
  const ages = {
    delivered: now.subtract({ hours: daysDelivered * 24 }),
    dead: now.subtract({ hours: daysDead * 24 }),
    most: portion,
  }
  let removed = 0
  let latest = 0
  do {
    latest = await deleteOldDeliveries(deliveryDb, ages)
    removed += latest
  } while (latest === portion)
  return removed
}
