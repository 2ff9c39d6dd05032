import {
  accountsWithLatePayers,
  giveUpOrders,
  nextLatePayer,
} from '#capabilities/international/give-up-orders.operation.ts'
import type { DueWork } from '#engine/account-clock/due-work.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'

export const giveUpOrdersWork: DueWork<PaymentNeeds> = {
  name: 'orders.give-up',
  accountsDue: accountsWithLatePayers,
  nextDue: nextLatePayer,
  runDue: giveUpOrders,
}
