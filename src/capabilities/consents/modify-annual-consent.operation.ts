import { type ConsentNeeds, findConsentOf } from '#capabilities/consents/find-consent.operation.ts'
import {
  type ConsentChanges,
  type Modified,
  modifyConsent,
} from '#capabilities/consents/modify-consent.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { ok } from '#kernel/result.ts'

type Needs = Pick<EngineContext, 'db' | 'accountClock' | 'vault'> & ConsentNeeds

// Changes what is known of an annual consent, and nothing with it.
export async function modifyAnnualConsent(
  needs: Needs,
  caller: Caller,
  changes: ConsentChanges,
): Promise<Modified> {
  const found = await findConsentOf(needs, caller, changes.consentId)
  if (!found.ok) return found
  return modifyConsent(needs, caller, { changes, home: found.value.home, alongside: async () => ok(false) })
}
