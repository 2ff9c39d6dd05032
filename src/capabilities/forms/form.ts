import type { ConsentId } from '#capabilities/consents/consent.ts'
import {
  type FormMasks,
  type FormOptions,
  optionsOf,
  optionsOfPlan,
} from '#capabilities/forms/form-options.ts'
import { type FormPlan, paysAtOnce } from '#capabilities/forms/form-plan.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { Currency } from '#kernel/currency.ts'
import type { AccountId, ApiUserId, Branded, MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'

export type FormId = Branded<bigint, 'FormId'>

// open: it can be paid. paying: an attempt is under way, or its outcome is not known yet. paid: for good.
// closed: too many tries. expired: nobody paid in time.
export type FormState = 'open' | 'paying' | 'paid' | 'closed' | 'expired'

// What the merchant's system knows of the payer; empty where it knows nothing.
export type FormPayer = {
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  readonly phone: string
  readonly street: string
  readonly city: string
  readonly state: string
  readonly zip: string
  readonly country: string
}

// What is kept of a payer's words together with an attempt. Empty where nothing was said.
export type PayerSaid = {
  readonly email: string
  // Where the receipt is to be mailed; empty: nowhere.
  readonly receiptEmail: string
  // In which the payer read the page.
  readonly language: string
  // The authorization above the button that debited a bank account, word for word, and from where it was
  // given.
  readonly bankAgreement: string
  readonly agreedFrom: string
}

export type FormTerms = {
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly userId: ApiUserId
  // null where the payer types it, or where nothing is paid.
  readonly amount: Money | null
  // The fee that the merchant asks for beside the amount: the most that a card may cost, and 0 in a plan.
  // null: each card costs what the merchant record charges for it.
  readonly fee: Money | null
  readonly currency: Currency
  readonly masks: FormMasks
  // Empty for our own theme.
  readonly colors: string
  readonly postUrl: string
  readonly redirectUrl: string
  readonly clientRef: string
  readonly guid: string
  readonly keyIndex: string
  readonly payer: FormPayer
  // What the payer agrees to; null: one payment, or none.
  readonly plan: FormPlan | null
  // The link that leads to it; null for a form that was ordered by itself.
  readonly linkId: bigint | null
  readonly createdAt: Temporal.Instant
  readonly expiresAt: Temporal.Instant
}

export type NewForm = FormTerms & { readonly tokenDigest: Buffer }

// A form as its row tells it.
export type Form = FormTerms & {
  readonly formId: FormId
  readonly state: FormState
  // How often a payment was begun.
  readonly tries: number
  // Of the newest attempt; null before the first.
  readonly attemptRef: AcquirerRef | null
  readonly consentId: ConsentId | null
  // The newest order, in an international record; null elsewhere and before the first.
  readonly orderRef: string | null
  readonly browserDigest: Buffer | null
  // What the payer said with the newest attempt.
  readonly said: PayerSaid
  readonly isExtended: boolean
  readonly paidAt: Temporal.Instant | null
  // What the merchant record says about its forms.
  readonly phone: string
  readonly origins: readonly string[]
  // Card networks that are taken; empty: all.
  readonly brands: readonly CardBrand[]
  readonly isAccountOpen: boolean
}

export const openMinutes = 60
export const extraMinutes = 30

export function formOptions({ masks, plan }: Pick<Form, 'masks'> & { plan?: FormPlan | null }): FormOptions {
  return plan ? optionsOfPlan(masks, paysAtOnce(plan)) : optionsOf(masks)
}

export type FormStanding = 'open' | 'paying' | 'paid' | 'expired' | 'closed'

export function standingOf(form: Form, now: Temporal.Instant): FormStanding {
  const { state, expiresAt, isAccountOpen } = form
  if (state === 'paying' || state === 'paid') return state
  if (Temporal.Instant.compare(expiresAt, now) <= 0) return 'expired'
  return isAccountOpen ? state : 'closed'
}
