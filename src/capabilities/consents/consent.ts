import type { CardKind } from '#engine/acquirers/acquirer.ts'
import type { CardId } from '#engine/vault/vault.ts'
import { assert } from '#kernel/assert.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { CardExpiry } from '#kernel/card-expiry.ts'
import type { Currency } from '#kernel/currency.ts'
import type { AccountId, ApiUserId, Branded, MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'

export type ConsentId = Branded<bigint, 'ConsentId'>
export type ConsentKey = { readonly accountId: AccountId; readonly consentId: ConsentId }

// pending: the issuer has not yet said whether the card is good.
export type ConsentState = 'pending' | 'active' | 'cancelled'

// A annual, R recurring, S subscription without end, O one-time.
export type ConsentKind = 'A' | 'R' | 'S' | 'O'

// What may be shown of the stored card.
export type ConsentCard = {
  readonly cardId: CardId
  readonly firstSix: string
  readonly lastFour: string
  readonly numberLength: number
  readonly brand: CardBrand
  readonly kind: CardKind
  readonly expiry: CardExpiry
}

// What is known of the payer and the purchase, and used where a charge says nothing of its own.
export type ConsentDetails = {
  readonly customerRef: string
  readonly service: string
  readonly guid: string
  readonly holderFirstName: string
  readonly holderLastName: string
  readonly customerFirstName: string
  readonly customerLastName: string
  readonly company: string
  readonly email: string
  readonly phone: string
  readonly street: string
  readonly zip: string
}

export type ConsentTerms = {
  readonly limitPerCharge: Money
  readonly limitLifetime: Money
  readonly startsOn: Temporal.PlainDate
  // The last good day.
  readonly endsOn: Temporal.PlainDate
  readonly days: number
}

export type NewConsent = ConsentTerms & {
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly kind: ConsentKind
  readonly state: ConsentState
  readonly cardId: CardId
  readonly details: ConsentDetails
  readonly creationRef: string
  readonly userId: ApiUserId
  // What the payer agreed to; absent where the merchant vouches for it.
  readonly agreement?: string
  readonly agreedFrom: string
  readonly at: Temporal.Instant
}

export type Consent = ConsentKey &
  ConsentTerms & {
    readonly merchantNumber: MerchantNumber
    readonly kind: ConsentKind
    readonly state: ConsentState
    readonly currency: Currency
    readonly used: Money
    readonly details: ConsentDetails
    readonly networkId: string
    readonly card: ConsentCard
    // Settings of the account that decide what a charge may do.
    readonly allowsPartialApprovals: boolean
    readonly allowsAlternateMerchants: boolean
  }

// The consent of a plan: charged by its instalments and by nothing else.
export function isRecurring({ kind }: Pick<Consent, 'kind'>): boolean {
  return kind === 'R' || kind === 'S'
}

export function consentId(value: bigint): ConsentId {
  assert(isConsentId(value), 'an id is a positive number')
  return value
}

function isConsentId(value: bigint): value is ConsentId {
  return value > 0n
}
