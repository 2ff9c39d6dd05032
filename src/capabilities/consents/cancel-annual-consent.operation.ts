import {
  cancelConsent,
  type Cancellation,
  type Cancelled,
} from '#capabilities/consents/cancel-consent.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'

type Needs = Pick<EngineContext, 'db' | 'clock' | 'accountClock' | 'vault'>

// Ends an annual consent, and erases its card.
export function cancelAnnualConsent(
  needs: Needs,
  caller: Caller,
  { consentId }: Cancellation,
): Promise<Cancelled> {
  return cancelConsent(needs, caller, { consentId, endPlan: null })
}
