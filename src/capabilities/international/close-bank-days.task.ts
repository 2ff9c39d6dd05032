import {
  accountsWithClosedBankDay,
  closeBankDays,
  nextBankCutOff,
} from '#capabilities/international/close-bank-days.operation.ts'
import type { DueWork } from '#engine/account-clock/due-work.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'

export const closeBankDaysWork: DueWork<PaymentNeeds> = {
  name: 'orders.close-bank-days',
  accountsDue: accountsWithClosedBankDay,
  nextDue: nextBankCutOff,
  runDue: closeBankDays,
}
