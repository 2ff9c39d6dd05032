import { bankReturnsWork } from '#capabilities/bank-debits/receive-returns.task.ts'
import {
  announceUpcomingWork,
  collectDuePaymentsWork,
} from '#capabilities/collection/collect-due-payments.task.ts'
import { tellEndingConsentsWork } from '#capabilities/consents/tell-ending-consents.task.ts'
import type { Context } from '#capabilities/context.ts'
import { collectDisputesWork } from '#capabilities/disputes/collect-disputes.task.ts'
import { expireFormsWork } from '#capabilities/forms/expire-forms.task.ts'
import { closeBankDaysWork } from '#capabilities/international/close-bank-days.task.ts'
import { giveUpOrdersWork } from '#capabilities/international/give-up-orders.task.ts'
import { expireLinksWork } from '#capabilities/links/expire-links.task.ts'
import { closeDayWork } from '#capabilities/settlement/close-day.task.ts'
import { retryWebhooksWork } from '#capabilities/webhooks/deliver.task.ts'
import type { DueWork } from '#engine/account-clock/due-work.ts'

// The one list of work that falls due by an account's clock. What is due at the same moment runs in this
// order. Each is made in an x.task.ts of its slice, because it says when an operation runs by itself.
export const dueWork: readonly DueWork<Context>[] = [
  announceUpcomingWork,
  tellEndingConsentsWork,
  collectDuePaymentsWork,
  closeDayWork,
  bankReturnsWork,
  collectDisputesWork,
  giveUpOrdersWork,
  closeBankDaysWork,
  expireFormsWork,
  expireLinksWork,
  retryWebhooksWork,
]
