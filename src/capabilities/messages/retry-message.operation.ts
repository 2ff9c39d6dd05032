import { reviveMessage } from '#capabilities/messages/delivery.store.ts'
import { isStopped } from '#capabilities/messages/limit.store.ts'
import type { MessageNeeds } from '#capabilities/messages/message-needs.ts'
import { loadMessage } from '#capabilities/messages/shown.store.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

export type RetryRefusal = 'message_not_found' | 'message_not_ended' | 'recipient_stopped'

// What never arrived is tried anew, because somebody says so: also what may have arrived. The parts of a text
// that were taken are not sent again, unless a receipt says that they were lost.
export async function retryMessage(
  { db }: Pick<MessageNeeds, 'db'>,
  id: bigint,
): Promise<Result<null, RetryRefusal>> {
  return db.inTransaction(async (tx) => {
    const message = await loadMessage(tx, id)
    if (!message) return refuse('message_not_found')
    const { channel, recipient, messageId } = message
    if (channel === 'text' && (await isStopped(tx, recipient)))
      return refuse('recipient_stopped', { recipient })
    return (await reviveMessage(tx, messageId)) ? ok(null) : refuse('message_not_ended')
  })
}
