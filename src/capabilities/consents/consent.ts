import type { CardKind } from '#engine/acquirers/acquirer.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { CardId } from '#engine/vault/vault.ts'
import { assert } from '#kernel/assert.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { CardExpiry } from '#kernel/card-expiry.ts'
import type { Currency } from '#kernel/currency.ts'
import type { AccountId, ApiUserId, Branded, MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'

export type ConsentId = Branded<bigint, 'ConsentId'>
export type ConsentKey = { readonly accountId: AccountId; readonly consentId: ConsentId }

// pending: the issuer has not yet said whether the card is good. not_made: it was not, or nobody was asked.
export type ConsentState = 'pending' | 'active' | 'cancelled' | 'not_made'

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
  readonly state: Extract<ConsentState, 'pending' | 'active'>
  readonly cardId: CardId
  readonly details: ConsentDetails
  readonly creationRef: string
  readonly userId: ApiUserId
  // The text that the payer agreed to; empty where the merchant vouches for it.
  readonly agreement: string
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
    // A setting of the account.
    readonly allowsPartialApprovals: boolean
  }

// What a charge has to know before it is recorded; the limits are judged where they are taken.
export type ConsentToCharge = Pick<
  Consent,
  keyof ConsentKey | 'merchantNumber' | 'kind' | 'state' | 'currency' | 'endsOn' | 'networkId' | 'card'
> & { readonly details: Omit<ConsentDetails, 'company'> }

// What a charge of its card says about who buys, besides the names that it repeats.
export function boughtWith(
  { details: { email, phone, street, zip } }: Pick<ConsentToCharge, 'details'>,
  merchant: Merchant,
  instalmentId: bigint | null = null,
) {
  return { merchant, number: null, contact: { email, phone, street, zip }, instalmentId }
}

// Whether anybody knows of it: one that waits for the issuer's word is not there yet, and one that was never
// made is not there at all.
export function isMade({ state }: Pick<Consent, 'state'>): boolean {
  return state === 'active' || state === 'cancelled'
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
