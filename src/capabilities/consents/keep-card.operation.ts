import type { ConsentDetails } from '#capabilities/consents/consent.ts'
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
}

// Pays with a card that is kept as a consent by the merchant record's own terms. The consent begins with the
// payment: when that is approved, and not otherwise.
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
  const consentId = await needs.db.inTransaction((tx) => storePending(needs, tx, pending))
  const followed = {
    ...payment,
    details: { ...payment.details, consentId: String(consentId) },
    following: [...payment.following, following(newConsentFollower, consentId, null)],
  }
  const paid = await pay(needs, followed, ask)
  const isApproved = paid.kind === 'recorded' && paid.attempt.state === 'approved'
  if (!isApproved) await finishNowOrLater(needs, { accountId, consentId, since })
  return ok(paid)
}

function draftOf(
  { accountId, merchantNumber, ref: creationRef, createdAt: at }: NewAttempt,
  { card, details, merchant, userId, agreement, agreedFrom }: KeptCard,
): Result<ConsentDraft, 'value_out_of_range'> {
  const today = dateIn(merchant.timeZone, at)
  // Nothing is asked for, so nothing has a name.
  const names = { startsOn: 'start', days: 'days' }
  const asked = { startsOn: null, days: null, limitPerCharge: null, limitLifetime: null, names }
  const terms = termsOf(asked, { merchant, expiry: card.expiry, today })
  if (!terms.ok) return terms
  const agreed = { agreement, agreedFrom, userId, creationRef }
  return ok({ ...terms.value, ...agreed, kind: 'A', accountId, merchantNumber, details, at })
}
