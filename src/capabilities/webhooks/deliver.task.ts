import {
  deliverLane,
  type DeliverNeeds,
  nextTryWithin,
  retryDue,
} from '#capabilities/webhooks/deliver-lane.operation.ts'
import { deliverLaneKind, fanOutEvents, wakeLanes } from '#capabilities/webhooks/fan-out-events.operation.ts'
import { removeOldDeliveries } from '#capabilities/webhooks/remove-old-deliveries.operation.ts'
import type { WebhookNeeds } from '#capabilities/webhooks/webhook-needs.ts'
import type { DueWork } from '#engine/account-clock/due-work.ts'
import { assert } from '#kernel/assert.ts'
import { accountId } from '#kernel/ids.ts'
import { definePeriodicTask, defineTask } from '#platform/tasks/task.ts'

// A charge tells nobody that it has written an event, because that would cost it something. So somebody
// looks.
export const fanOutEventsTask = definePeriodicTask<WebhookNeeds>({
  kind: 'webhooks.fan_out',
  every: { seconds: 1 },
  run: async (needs) => {
    await fanOutEvents(needs)
    await wakeLanes(needs)
  },
})

export const deliverTask = defineTask<DeliverNeeds, null>(
  deliverLaneKind,
  async (needs, { key, accountId: account, signal, stopping }) => {
    assert(account !== null, 'a lane belongs to an account')
    await deliverLane(needs, { lane: key, accountId: accountId(account), signal, stopping })
  },
)

export const removeOldDeliveriesTask = definePeriodicTask<WebhookNeeds>({
  kind: 'webhooks.remove_old_deliveries',
  every: { hours: 1 },
  run: async (needs) => {
    await removeOldDeliveries(needs)
  },
})

// As real time passes, the task above retries. The time machine does so in order of time.
export const retryWebhooksWork: DueWork<WebhookNeeds> = {
  name: 'webhooks.retry',
  accountsDue: async () => [],
  nextDue: nextTryWithin,
  runDue: retryDue,
}
