import type { ConsentId } from '#capabilities/consents/consent.ts'
import type { CollectionTime } from '#capabilities/recurring/collection-day.ts'
import type { InstalmentId, PlanId } from '#capabilities/recurring/instalment.ts'
import type { PlanTerms } from '#capabilities/recurring/payment-plan.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'

// pending: the issuer has not yet said whether the card is good, and there are no instalments.
export type PlanState = 'pending' | 'active' | 'cancelled'

// The address that receives every payment of a plan, beside webhooks. Empty: none.
export type PlanPosting = { readonly url: string; readonly idsOnly: boolean }
export const noPosting: PlanPosting = { url: '', idsOnly: false }

export type Plan = {
  readonly planId: PlanId
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly consentId: ConsentId
  readonly state: PlanState
  // As agreed at the start and never changed.
  readonly terms: PlanTerms
  // All payments as they are now, cancelled ones included; each one of a subscription.
  readonly total: Money
  readonly payment: Money
  readonly posting: PlanPosting
  // What the merchant record takes in one charge at the most.
  readonly paymentMax: Money
  readonly because: string
  readonly time: CollectionTime
}

// One thing that happened to a plan, for people.
export type PlanEvent = {
  readonly planId: PlanId
  readonly accountId: AccountId
  readonly instalmentId: InstalmentId | null
  readonly what: PlanEventKind
  readonly because: string
  readonly attemptRef: string | null
  readonly nextOn: Temporal.PlainDate | null
}

export type PlanEventKind =
  | 'created'
  | 'announced'
  | 'paid'
  | 'declined'
  | 'unknown'
  | 'not_sent'
  | 'moved'
  | 'repriced'
  | 'cancelled'
