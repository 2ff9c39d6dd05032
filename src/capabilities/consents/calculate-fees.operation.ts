import type { ConsentCard, ConsentId } from '#capabilities/consents/consent.ts'
import {
  type ConsentNeeds,
  collectorOf,
  findConsentOf,
} from '#capabilities/consents/find-consent.operation.ts'
import { type AskedAmount, askedMoney } from '#engine/fees/asked-money.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { feeCaseOf } from '#engine/fees/fee-case.ts'
import { type FeeQuote, quoteFees } from '#engine/fees/quote-fees.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import type { MerchantNumber } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

export type FeeQuestion = {
  readonly consentId: ConsentId
  readonly base: AskedAmount
  // null: the merchant record of the consent.
  readonly alternate: MerchantNumber | null
}

export type CalculatedFees = { readonly card: ConsentCard; readonly quote: FeeQuote }

type FeeRefusal =
  | 'consent_not_found'
  | 'consent_cancelled'
  | 'merchant_not_found'
  | 'alternate_not_allowed'
  | 'currency_differs'
  | 'value_out_of_range'

// Says what a charge of this amount would cost the payer, so that it can be shown before the payer agrees.
export async function calculateFees(
  needs: Pick<EngineContext, 'accountClock'> & ConsentNeeds,
  caller: Caller,
  { consentId, base, alternate }: FeeQuestion,
): Promise<Result<CalculatedFees, FeeRefusal>> {
  const found = await findConsentOf(needs, caller, consentId)
  if (!found.ok) return found
  const { consent } = found.value
  if (consent.state === 'cancelled') return refuse('consent_cancelled', { consent: consentId })

  const merchant = collectorOf(caller, found.value, alternate)
  if (!merchant.ok) return merchant
  const money = askedMoney(base, consent.currency)
  if (!money.ok) return money

  const on = dateIn(merchant.value.timeZone, needs.accountClock.now(caller.accountId))
  const { card } = consent
  return ok({ card, quote: quoteFees(feeCaseOf(merchant.value, card, on), money.value) })
}
