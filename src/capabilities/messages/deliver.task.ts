import {
  deliverChannel,
  deliverChannelKind,
  wakeChannels,
} from '#capabilities/messages/deliver-channel.operation.ts'
import { mailReceipts } from '#capabilities/messages/mail-receipts.operation.ts'
import type { MessageNeeds } from '#capabilities/messages/message-needs.ts'
import { removeOldMessages } from '#capabilities/messages/remove-old-messages.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import { removeOldRequests } from '#engine/receipt-requests/request-receipt.operation.ts'
import { definePeriodicTask, defineTask } from '#platform/tasks/task.ts'

export const wakeChannelsTask = definePeriodicTask<MessageNeeds>({
  kind: 'messages.wake',
  every: { seconds: 1 },
  run: async (needs) => {
    await wakeChannels(needs)
  },
})

// One for each channel, and each runs once at a time on all nodes together: so messages keep their order.
export const deliverMessagesTask = defineTask<MessageNeeds, null>(
  deliverChannelKind,
  async (needs, { key, signal, stopping }) => {
    await deliverChannel(needs, { channel: key === 'email' ? 'email' : 'text', signal, stopping })
  },
)

export const mailReceiptsTask = definePeriodicTask<EngineContext>({
  kind: 'messages.mail_receipts',
  every: { seconds: 2 },
  run: (needs) => mailReceipts(needs),
})

export const removeOldMessagesTask = definePeriodicTask<MessageNeeds>({
  kind: 'messages.remove_old',
  every: { hours: 1 },
  run: async (needs) => {
    await removeOldMessages(needs)
    await removeOldRequests(needs)
  },
})
