import { type Currency, exponentOf } from '#kernel/currency.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'

export const feeKinds = ['none', 'surcharge', 'convenience'] as const
export type FeeKind = (typeof feeKinds)[number]

export type MerchantSettings = {
  readonly name: string
  // The branch.
  readonly location: string
  // In one line.
  readonly address: string
  readonly terminalId: string
  readonly timeZone: string
  readonly currency: Currency
  readonly isInternational: boolean
  readonly takesAch: boolean
  // Where the record's business is, as regionCode() writes it; empty when not known.
  readonly region: string
  // The operator has confirmed with counsel that this region allows a surcharge.
  readonly isRegionConfirmed: boolean
  readonly feeKind: FeeKind
  // 300 is 3 %.
  readonly feeBasisPoints: number
  // In the record's currency, as are the limits.
  readonly feeFixedMinor: bigint
  // Of any charge, and of consents that name none of their own.
  readonly limitPerChargeMinor: bigint
  // For consents that name no limit and days of their own.
  readonly limitLifetimeMinor: bigint
  readonly consentDays: number
  // Due instalments are charged once a day without a call, so many minutes after midnight in the record's
  // zone.
  readonly collectsAutomatically: boolean
  readonly collectsAtMinute: number
  // For so long a charge that looks like an earlier one is turned down; 0: never.
  readonly lookAlikeSeconds: number
  // Payers whose e-mail address is known are mailed receipts of what calls charge, credit and void.
  readonly mailsReceipts: boolean
  // Why references may hold what looks like a card number; empty: they may not.
  readonly cardLikeReferencesReason: string
}

// A merchant record: one till, branch or website of an account, with its own number.
export type Merchant = MerchantSettings & {
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
}

type OfRecord = { readonly merchantNumber: MerchantNumber | null }

// A token issued for one merchant record works for that record alone, and sees nothing of others, nor of what
// belongs to several (null).
export function worksFor({ merchantNumber: only }: OfRecord, { merchantNumber }: OfRecord): boolean {
  return only === null || only === merchantNumber
}

export function merchantsFor(caller: OfRecord, merchants: readonly Merchant[]): readonly Merchant[] {
  return merchants.filter((merchant) => worksFor(caller, merchant))
}

// The record that a caller names. One that is not open to it is as unknown as one that does not exist.
export function merchantFor(
  caller: OfRecord,
  merchants: readonly Merchant[],
  number: MerchantNumber,
): Merchant | null {
  const merchant = merchantNumbered(merchants, number)
  return merchant && worksFor(caller, merchant) ? merchant : null
}

export function merchantNumbered(merchants: readonly Merchant[], number: MerchantNumber): Merchant | null {
  return merchants.find(({ merchantNumber }) => merchantNumber === number) ?? null
}

// A consent allows 100,000 a charge and 1,000,000 in its lifetime, in units of the currency.
export function merchantDefaults(currency: Currency): Omit<MerchantSettings, 'name'> {
  const unit = 10n ** BigInt(exponentOf(currency))
  return {
    location: '',
    address: '',
    terminalId: '',
    timeZone: 'UTC',
    currency,
    isInternational: false,
    takesAch: false,
    region: '',
    isRegionConfirmed: false,
    feeKind: 'none',
    feeBasisPoints: 0,
    feeFixedMinor: 0n,
    limitPerChargeMinor: 100_000n * unit,
    limitLifetimeMinor: 1_000_000n * unit,
    consentDays: 365,
    collectsAutomatically: true,
    collectsAtMinute: 180,
    lookAlikeSeconds: 0,
    mailsReceipts: false,
    cardLikeReferencesReason: '',
  }
}

// null: a limit as every record has it from the beginning, which the merchant has not chosen.
export function chosenLimits({ currency, limitPerChargeMinor, limitLifetimeMinor }: Limited): ChosenLimits {
  const usual = merchantDefaults(currency)
  const chosen = (minor: bigint, usualMinor: bigint) => (minor === usualMinor ? null : { minor, currency })
  return {
    perCharge: chosen(limitPerChargeMinor, usual.limitPerChargeMinor),
    lifetime: chosen(limitLifetimeMinor, usual.limitLifetimeMinor),
  }
}

type Limited = Pick<MerchantSettings, 'currency' | 'limitPerChargeMinor' | 'limitLifetimeMinor'>
type ChosenLimits = { readonly perCharge: Money | null; readonly lifetime: Money | null }
