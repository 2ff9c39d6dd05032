import { eraseBankAccountsTask } from '#capabilities/bank-debits/erase-bank-accounts.task.ts'
import { removeAbandonedConsentsTask } from '#capabilities/consents/remove-abandoned-consents.task.ts'
import type { Context } from '#capabilities/context.ts'
import { dueWork } from '#capabilities/due-work.ts'
import { forgetOldTriesTask } from '#capabilities/form-payments/forget-old-tries.task.ts'
import { postFormsTask, postPlansTask, removeOldFormsTask } from '#capabilities/forms/post-forms.task.ts'
import { forgetOldLinksTask } from '#capabilities/links/expire-links.task.ts'
import {
  deliverMessagesTask,
  mailReceiptsTask,
  removeOldMessagesTask,
  wakeChannelsTask,
} from '#capabilities/messages/deliver.task.ts'
import { removeAbandonedPlansTask } from '#capabilities/recurring/remove-abandoned-plans.task.ts'
import { removeEndedSessionsTask } from '#capabilities/sessions/remove-ended-sessions.task.ts'
import { warnOfExpiringTokensTask } from '#capabilities/sessions/warn-of-expiring-tokens.task.ts'
import { resolveBatchesTask } from '#capabilities/settlement/resolve-batches.task.ts'
import {
  deliverTask,
  fanOutEventsTask,
  removeOldDeliveriesTask,
} from '#capabilities/webhooks/deliver.task.ts'
import { runDueWorkTask } from '#engine/account-clock/run-due-work.task.ts'
import { checkLedgerTask } from '#engine/ledger/check-ledger.task.ts'
import { removeOldLookAlikesTask } from '#engine/look-alikes/remove-old-look-alikes.task.ts'
import { vacuumVaultTask } from '#engine/vault/vacuum-vault.task.ts'
import type { Task } from '#platform/tasks/task.ts'

// The one list of work that falls due by itself.
export const tasks: readonly Task<Context>[] = [
  removeEndedSessionsTask,
  warnOfExpiringTokensTask,
  removeAbandonedConsentsTask,
  removeAbandonedPlansTask,
  resolveBatchesTask,
  removeOldLookAlikesTask,
  eraseBankAccountsTask,
  postFormsTask,
  postPlansTask,
  forgetOldTriesTask,
  removeOldFormsTask,
  forgetOldLinksTask,
  checkLedgerTask,
  vacuumVaultTask,
  fanOutEventsTask,
  removeOldDeliveriesTask,
  wakeChannelsTask,
  mailReceiptsTask,
  removeOldMessagesTask,
  runDueWorkTask(dueWork),
]

// Those that wait for machines of others: they run in places of their own, so that nothing waits for them.
export const outboundTasks: readonly Task<Context>[] = [deliverTask]

// And those that a stop waits for: a text that is cut off may ring, and an e-mail comes twice.
export const messageTasks: readonly Task<Context>[] = [deliverMessagesTask]
