import type { ConsentDetails, ConsentId } from '#capabilities/consents/consent.ts'
import { termsOf } from '#capabilities/consents/new-consent-terms.ts'
import {
  type CardOrder,
  finishNowOrLater,
  storePending,
} from '#capabilities/consents/store-consent.operation.ts'
import { followingNewConsent } from '#capabilities/consents/new-consent.follower.ts'
import type { EngineContext } from '#engine/context.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { Following, NewAttempt } from '#engine/payments/attempt.ts'
import type { ApiUserId } from '#kernel/ids.ts'
import { ok, type Result } from '#kernel/result.ts'

type Needs = Pick<EngineContext, 'db' | 'vault' | 'acquirer' | 'clock' | 'accountClock' | 'log'>

export type KeptCard = {
  readonly card: CardOrder['card']
  readonly details: ConsentDetails
  readonly merchant: Merchant
  readonly userId: ApiUserId
  // What the payer agreed to, and from which address.
  readonly agreement: string
  readonly agreedFrom: string
}

export type Keeping = {
  readonly consentId: ConsentId
  // The consent begins with the sale: when that is approved, and not otherwise.
  readonly following: Following
  // For a sale that came to nothing.
  readonly forget: () => Promise<void>
}

// Stores the card of a sale that is about to be made, as a consent by the merchant record's own terms.
export async function keepCard(
  needs: Needs,
  sale: NewAttempt,
  kept: KeptCard,
): Promise<Result<Keeping, 'value_out_of_range'>> {
  const { accountId, merchantNumber, ref: creationRef, createdAt: at } = sale
  const { card, details, merchant, userId, agreement, agreedFrom } = kept
  const today = dateIn(merchant.timeZone, at)
  const asked = { startsOn: null, days: null, limitPerCharge: null, limitLifetime: null }
  const terms = termsOf(asked, { merchant, expiry: card.expiry, today })
  if (!terms.ok) return terms
  const agreed = { agreement, agreedFrom, userId, creationRef }
  const draft = { ...terms.value, ...agreed, kind: 'A', accountId, merchantNumber, details, at } as const
  const since = needs.clock.now()
  const consentId = await needs.db.inTransaction((tx) =>
    storePending(needs, tx, { order: { card, details }, draft, since }),
  )
  return ok({
    consentId,
    following: followingNewConsent(consentId),
    forget: () => finishNowOrLater(needs, { accountId, consentId, since }),
  })
}
