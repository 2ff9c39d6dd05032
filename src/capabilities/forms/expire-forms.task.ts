import {
  accountsWithFormsToExpire,
  expireDueForms,
  nextFormToExpire,
} from '#capabilities/forms/expire-forms.operation.ts'
import type { DueWork } from '#engine/account-clock/due-work.ts'
import type { EngineContext } from '#engine/context.ts'

export const expireFormsWork: DueWork<EngineContext> = {
  name: 'forms.expire',
  accountsDue: accountsWithFormsToExpire,
  nextDue: nextFormToExpire,
  runDue: expireDueForms,
}
