import {
  accountsWithDueDispute,
  collectDisputes,
  nextDisputeWithin,
} from '#capabilities/disputes/collect-disputes.operation.ts'
import type { DueWork } from '#engine/account-clock/due-work.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'

export const collectDisputesWork: DueWork<PaymentNeeds> = {
  name: 'disputes.collect',
  accountsDue: accountsWithDueDispute,
  nextDue: nextDisputeWithin,
  runDue: collectDisputes,
}
