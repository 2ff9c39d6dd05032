import type { Context } from '#capabilities/context.ts'
import { unknownSeconds } from '#engine/payments/backlog.ts'
import { readBacklog } from '#engine/payments/watch-backlog.operation.ts'
import type { GaugeSource } from '#platform/metrics.ts'

// What is off the straight path, for whoever is to be paged.
export function attemptGauges(
  context: Pick<Context, 'db' | 'clock' | 'acquirer' | 'line' | 'sending'>,
): readonly GaugeSource[] {
  return [
    {
      name: 'tillgate_open_attempts',
      help: 'Attempts off the straight path by state. Manual ones need an operator.',
      label: 'state',
      read: async () => {
        const { unknown, reversing, late, manual } = await readBacklog(context)
        return { unknown, reversing, late, manual }
      },
    },
    {
      name: 'tillgate_oldest_attempt_seconds',
      help: 'For how long the oldest attempt is in its state; 0 when there is none.',
      label: 'state',
      read: async () => ({ unknown: unknownSeconds(await readBacklog(context), context.clock.now()) }),
    },
    {
      name: 'tillgate_acquirer_up',
      help: '0 while the acquirer cannot be reached and no payment is begun.',
      label: 'acquirer',
      read: async () => ({ [context.acquirer.name]: Number(context.line.isUp) }),
    },
    {
      name: 'tillgate_sending_held',
      help: '1 while nothing is sent: paused until confirmed, busy checking, unnoted mark, wrong clock.',
      label: 'kind',
      read: async () => {
        const kind = context.sending.hold?.kind
        const kinds = ['paused', 'busy', 'unnoted', 'clock'] as const
        return Object.fromEntries(kinds.map((one) => [one, Number(one === kind)]))
      },
    },
  ]
}
