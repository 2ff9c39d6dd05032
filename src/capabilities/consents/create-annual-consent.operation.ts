import {
  createConsent,
  type Created,
  type GivenCardWithDetails,
} from '#capabilities/consents/create-consent.operation.ts'
import { type AskedTerms, termsOf } from '#capabilities/consents/new-consent-terms.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { merchantFor } from '#engine/merchants/merchant.ts'
import { isExpiredOn, printExpiry } from '#kernel/card-expiry.ts'
import type { MerchantNumber } from '#kernel/ids.ts'
import { refuse } from '#kernel/result.ts'

type Needs = EngineContext

export type ConsentWish = AskedTerms & GivenCardWithDetails & { readonly merchant: MerchantNumber }

// Stores a card with the payer's agreement to charge it within limits.
export async function createAnnualConsent(needs: Needs, caller: Caller, wish: ConsentWish): Promise<Created> {
  const merchants = await listMerchants(needs, caller.accountId)
  const merchant = merchantFor(caller, merchants, wish.merchant)
  if (!merchant) return refuse('merchant_not_found', { merchant: wish.merchant })

  const { expiry } = wish.card
  const today = dateIn(merchant.timeZone, needs.accountClock.now(caller.accountId))
  if (isExpiredOn(expiry, today)) return refuse('card_expired', { expiry: printExpiry(expiry) })
  const terms = termsOf(wish, { merchant, expiry, today })
  if (!terms.ok) return terms

  return createConsent(needs, caller, {
    given: wish,
    merchant,
    terms: terms.value,
    kind: 'A',
    alongside: async () => [],
  })
}
