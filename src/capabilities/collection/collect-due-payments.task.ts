import {
  accountsToAnnounce,
  announceUpcoming,
  nextAnnouncement,
} from '#capabilities/collection/announce-upcoming.operation.ts'
import {
  accountsToCollect,
  collectDuePayments,
  nextCollection,
} from '#capabilities/collection/collect-due-payments.operation.ts'
import type { DueWork } from '#engine/account-clock/due-work.ts'
import type { EngineContext } from '#engine/context.ts'

export const announceUpcomingWork: DueWork<EngineContext> = {
  name: 'plans.announce_upcoming',
  accountsDue: accountsToAnnounce,
  nextDue: nextAnnouncement,
  runDue: announceUpcoming,
}

// Once a day for each merchant record that collects by itself, at a time of its own zone.
export const collectDuePaymentsWork: DueWork<EngineContext> = {
  name: 'plans.collect_due',
  accountsDue: accountsToCollect,
  nextDue: nextCollection,
  runDue: collectDuePayments,
}
