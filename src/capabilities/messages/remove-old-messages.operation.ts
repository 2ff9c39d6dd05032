import { deleteOldMessages } from '#capabilities/messages/delivery.store.ts'
import type { MessageNeeds } from '#capabilities/messages/message-needs.ts'

const daysKept = 90
const portion = 500

// Who was sent what is nobody's business for ever. Numbers that have answered STOP are kept.
export async function removeOldMessages({
  deliveryDb,
  clock,
}: Pick<MessageNeeds, 'deliveryDb' | 'clock'>): Promise<number> {
  const before = clock.now().subtract({ hours: daysKept * 24 })
  let removed = 0
  let latest = 0
  do {
    latest = await deleteOldMessages(deliveryDb, { before, most: portion })
    removed += latest
  } while (latest === portion)
  return removed
}
