import type { ConsentDetails, ConsentKind, ConsentTerms } from '#capabilities/consents/consent.ts'
import type { StoreAlongside } from '#capabilities/consents/create-consent.operation.ts'
import { termsOf } from '#capabilities/consents/new-consent-terms.ts'
import {
  type CardWithDetails,
  type ConsentDraft,
  finishNowOrLater,
  storePending,
} from '#capabilities/consents/store-consent.operation.ts'
import { newConsentFollower } from '#capabilities/consents/new-consent.follower.ts'
import type { EngineContext } from '#engine/context.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { NewAttempt } from '#engine/payments/attempt.ts'
import { following } from '#engine/payments/follower.ts'
import { type Ask, type Paid, pay } from '#engine/payments/pay.operation.ts'
import type { ApiUserId } from '#kernel/ids.ts'
import { ok, type Result } from '#kernel/result.ts'

export type KeptCard = {
  readonly card: CardWithDetails['card']
  readonly details: ConsentDetails
  readonly merchant: Merchant
  readonly userId: ApiUserId
  // What the payer agreed to, and from which address.
  readonly agreement: string
  readonly agreedFrom: string
  // What it is kept for, where the merchant record's own terms do not count.
  readonly keptFor?: KeptFor | null
}

// Another slice's own terms, and what it stores beside the consent.
export type KeptFor = {
  readonly kind: ConsentKind
  readonly terms: ConsentTerms
  readonly alongside: StoreAlongside
}

// Pays with a card that is kept as a consent, by the merchant record's own terms unless it is kept for
// something else. The consent begins with the payment: when that is approved, and not otherwise.
export async function payAndKeepCard(
  needs: EngineContext,
  payment: NewAttempt,
  { kept, ask }: { readonly kept: KeptCard; readonly ask: Ask },
): Promise<Result<Paid, 'value_out_of_range'>> {
  const { accountId } = payment
  const draft = draftOf(payment, kept)
  if (!draft.ok) return draft
  const since = needs.clock.now()
  const pending = { given: kept, draft: draft.value, since }
  const { consentId, others } = await needs.db.inTransaction(async (tx) => {
    const stored = await storePending(needs, tx, pending)
    const at = payment.createdAt
    const beside = await kept.keptFor?.alongside(tx, { consentId: stored, state: 'pending', at })
    return { consentId: stored, others: beside ?? [] }
  })
  const followed = {
    ...payment,
    details: { ...payment.details, consentId: String(consentId) },
    following: [...payment.following, following(newConsentFollower, consentId, null), ...others],
  }
  const paid = await pay(needs, followed, ask)
  const isApproved = paid.kind === 'recorded' && paid.attempt.state === 'approved'
  if (!isApproved) await finishNowOrLater(needs, { accountId, consentId, since })
  return ok(paid)
}

function draftOf(
  { accountId, merchantNumber, ref: creationRef, createdAt: at }: NewAttempt,
  { card, details, merchant, userId, agreement, agreedFrom, keptFor }: KeptCard,
): Result<ConsentDraft, 'value_out_of_range'> {
  const agreed = { agreement, agreedFrom, userId, creationRef }
  const made = { ...agreed, accountId, merchantNumber, details, at }
  if (keptFor) return ok({ ...keptFor.terms, ...made, kind: keptFor.kind })
  const today = dateIn(merchant.timeZone, at)
  // Nothing is asked for, so nothing has a name.
  const names = { startsOn: 'start', days: 'days' }
  const asked = { startsOn: null, days: null, limitPerCharge: null, limitLifetime: null, names }
  const terms = termsOf(asked, { merchant, expiry: card.expiry, today })
  if (!terms.ok) return terms
  return ok({ ...terms.value, ...made, kind: 'A' })
}
