import {
  accountsWithDueClose,
  closeDueRecords,
  nextCloseWithin,
} from '#capabilities/settlement/close-day.operation.ts'
import type { SettlementNeeds } from '#capabilities/settlement/settle.operation.ts'
import type { DueWork } from '#engine/account-clock/due-work.ts'

export const closeDayWork: DueWork<SettlementNeeds> = {
  name: 'settlement.close-day',
  accountsDue: accountsWithDueClose,
  nextDue: nextCloseWithin,
  runDue: closeDueRecords,
}
