import {
  accountsWithEndingConsents,
  nextConsentToEnd,
  tellEndingConsents,
} from '#capabilities/consents/tell-ending-consents.operation.ts'
import type { DueWork } from '#engine/account-clock/due-work.ts'
import type { EngineContext } from '#engine/context.ts'

export const tellEndingConsentsWork: DueWork<EngineContext> = {
  name: 'consents.tell_ending',
  accountsDue: accountsWithEndingConsents,
  nextDue: nextConsentToEnd,
  runDue: tellEndingConsents,
}
