import type { ConsentDetails, ConsentTerms } from '#capabilities/consents/consent.ts'
import { finishNowOrLater, storeConsent } from '#capabilities/consents/store-consent.operation.ts'
import { putUnfinished } from '#capabilities/consents/unfinished-consent.store.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { GivenCard } from '#capabilities/wire/card-info.wire.ts'
import type { EngineContext } from '#engine/context.ts'
import type { NewAttempt } from '#engine/payments/attempt.ts'

type Needs = Omit<EngineContext, 'keyRing'>

type KeptCard = {
  readonly card: Pick<GivenCard, 'number' | 'expiry'>
  readonly terms: ConsentTerms
  readonly details: ConsentDetails
  readonly agreement: string
}

type Kept = {
  // The attempt with the consent that follows it: active once it is approved, gone when it is not.
  readonly attempt: NewAttempt
  // For whoever knows that nothing came of it. Should nobody say so, a task finds out.
  readonly drop: () => Promise<void>
}

// Stores the card of an attempt that is about to be made, together with the payer's agreement to charge it
// later. Until the outcome is known the consent waits as pending.
export async function keepCardOf(
  needs: Needs,
  { userId, address }: Pick<Caller, 'userId' | 'address'>,
  { attempt, card, terms, details, agreement }: KeptCard & { readonly attempt: NewAttempt },
): Promise<Kept> {
  const { accountId, merchantNumber, ref: creationRef, createdAt: at } = attempt
  const since = needs.clock.now()
  const draft = {
    ...terms,
    kind: 'A' as const,
    accountId,
    merchantNumber,
    details,
    creationRef,
    userId,
    agreement,
    agreedFrom: address,
    at,
  }
  const consentId = await needs.db.inTransaction(async (tx) => {
    const pending = await storeConsent(needs, tx, { card, draft, state: 'pending' })
    await putUnfinished(tx, pending, since)
    return pending
  })
  const follows = { follower: 'new_consent', subject: consentId, detail: null }
  return {
    attempt: {
      ...attempt,
      details: { ...attempt.details, consentId: String(consentId) },
      following: [...attempt.following, follows],
    },
    drop: () => finishNowOrLater(needs, { accountId, consentId, since }),
  }
}
