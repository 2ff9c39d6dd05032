import type { Context } from '#capabilities/context.ts'
import { readMessageBacklog } from '#capabilities/messages/show-messages.operation.ts'
import type { GaugeSource } from '#platform/metrics.ts'

// Texts and e-mails that have not arrived, for whoever is to be paged.
export function messageGauges(context: Pick<Context, 'db' | 'clock'>): readonly GaugeSource[] {
  return [
    {
      name: 'tillgate_messages',
      help: 'Texts and e-mails by state. Dead and unknown ones may be sent again by an operator.',
      label: 'state',
      read: async () => {
        const { waiting, dead, unknown } = await readMessageBacklog(context)
        return { waiting, dead, unknown }
      },
    },
    {
      name: 'tillgate_message_sender_away_seconds',
      help: 'For how long the sender of a channel cannot be reached; 0 while it can.',
      label: 'channel',
      read: async () => {
        const { lanes } = await readMessageBacklog(context)
        const now = context.clock.now()
        const seconds = lanes.map(({ channel, failingSince }) => [
          channel,
          failingSince ? Math.max(0, now.since(failingSince).total('seconds')) : 0,
        ])
        return Object.fromEntries(seconds)
      },
    },
  ]
}
