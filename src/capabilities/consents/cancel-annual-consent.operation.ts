import type { ConsentId } from '#capabilities/consents/consent.ts'
import { consentEvent } from '#capabilities/consents/consent-event.ts'
import { setConsentCancelled } from '#capabilities/consents/consent.store.ts'
import { lockActiveConsent } from '#capabilities/consents/find-consent.operation.ts'
import { finishConsent } from '#capabilities/consents/finish-consent.operation.ts'
import { putUnfinished } from '#capabilities/consents/unfinished-consent.store.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import { ok, type Result } from '#kernel/result.ts'

export type Cancellation = { readonly consentId: ConsentId }

// Ends a consent and erases its card in one commit. A charge that is being recorded meanwhile comes either
// before, and is waited for, or after, and is refused. While an outcome on the card is open, the card goes
// as soon as it is known.
export async function cancelAnnualConsent(
  needs: Pick<EngineContext, 'db' | 'clock' | 'accountClock' | 'vault'>,
  caller: Caller,
  { consentId }: Cancellation,
): Promise<Result<Cancellation, 'consent_not_found' | 'consent_cancelled'>> {
  const at = needs.accountClock.now(caller.accountId)
  const since = needs.clock.now()
  return needs.db.inTransaction(async (tx) => {
    const consent = await lockActiveConsent(tx, caller, consentId)
    if (!consent.ok) return consent
    const { accountId, merchantNumber, card, details } = consent.value
    const { customerRef, guid } = details
    const facts = { accountId, merchantNumber, consentId, lastFour: card.lastFour, customerRef, guid }
    await Promise.all([
      setConsentCancelled(tx, { accountId, consentId }, at),
      putUnfinished(tx, consentId, since),
      appendEvents(tx, [consentEvent('consent.cancelled', facts)], at),
    ])
    await finishConsent(needs, tx, { accountId, consentId, since })
    return ok({ consentId })
  })
}
