import type { Period } from '#capabilities/recurring/period.ts'
import type { MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'

// A card on file as people find it.
export type FoundConsent = {
  readonly consentId: bigint
  readonly merchantNumber: MerchantNumber
  readonly holderFirstName: string
  readonly holderLastName: string
  readonly lastFour: string
  // The authorization of 0 by which the card was tried; null when the account wanted none.
  readonly verificationId: bigint | null
  readonly customerRef: string
  readonly guid: string
  readonly service: string
  readonly startsOn: Temporal.PlainDate
  readonly endsOn: Temporal.PlainDate
  readonly isEnabled: boolean
  readonly days: number
  readonly limitPerCharge: Money
  readonly limitLifetime: Money
  // By charges that were approved, or whose outcome is not known.
  readonly used: Money
  readonly createdAt: Temporal.Instant
  readonly createdBy: string
}

// With the plan by which it is charged.
export type FoundRecurringConsent = FoundConsent & {
  readonly period: Period
  // Null for a subscription, which has no end.
  readonly payments: number | null
  readonly total: Money
  readonly payment: Money
  readonly lastPayment: Money
  readonly paid: Money
}
