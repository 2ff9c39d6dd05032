import { type ConsentId, type ConsentKey, isRecurring } from '#capabilities/consents/consent.ts'
import { consentEvent } from '#capabilities/consents/consent-event.ts'
import { setConsentCancelled } from '#capabilities/consents/consent.store.ts'
import { lockActiveConsent, ofOtherKind } from '#capabilities/consents/find-consent.operation.ts'
import { finishConsent } from '#capabilities/consents/finish-consent.operation.ts'
import { putUnfinished } from '#capabilities/consents/unfinished-consent.store.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'

export type Cancellation = { readonly consentId: ConsentId }

// What ends together with the consent of a plan, in the same commit.
export type Ending = (tx: Tx, ended: ConsentKey & { readonly at: Temporal.Instant }) => Promise<void>

type Needs = Pick<EngineContext, 'db' | 'clock' | 'accountClock' | 'vault'>
// A refusal knows the consent where that is cancelled already.
export type Cancelled = Result<Cancellation, 'consent_not_found' | 'consent_cancelled', Cancellation>

// Ends a consent, with its plan where it is one that has one, and erases its card in one commit. A charge
// that is being recorded meanwhile comes either before, and is waited for, or after, and is refused. While
// an outcome on the card is open, the card goes as soon as it is known.
export async function cancelConsent(
  needs: Needs,
  caller: Caller,
  { consentId, endPlan }: Cancellation & { readonly endPlan: Ending | null },
): Promise<Cancelled> {
  const at = needs.accountClock.now(caller.accountId)
  const since = needs.clock.now()
  return needs.db.inTransaction(async (tx) => {
    const consent = await lockActiveConsent(tx, caller, consentId)
    if (!consent.ok)
      return consent.refusal.kind === 'consent_cancelled'
        ? refuse('consent_cancelled', consent.refusal.details, { consentId })
        : consent
    if (isRecurring(consent.value) !== (endPlan !== null)) return ofOtherKind(consent.value)
    const { accountId, merchantNumber, card, details } = consent.value
    const { customerRef, guid } = details
    const facts = { accountId, merchantNumber, consentId, lastFour: card.lastFour, customerRef, guid }
    await Promise.all([
      setConsentCancelled(tx, { accountId, consentId }, at),
      putUnfinished(tx, consentId, since),
      appendEvents(tx, [consentEvent('consent.cancelled', facts)], at),
    ])
    await endPlan?.(tx, { accountId, consentId, at })
    await finishConsent(needs, tx, { accountId, consentId, since })
    return ok({ consentId })
  })
}
