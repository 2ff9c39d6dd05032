import type { FormDetail } from '#capabilities/forms/form.follower.ts'
import type { Form } from '#capabilities/forms/form.ts'
import type { CardKind } from '#engine/acquirers/acquirer.ts'
import type { FeeQuote } from '#engine/fees/quote-fees.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { Following } from '#engine/payments/attempt.ts'
import type { Paid } from '#engine/payments/pay.operation.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { CardExpiry } from '#kernel/card-expiry.ts'
import type { Tx } from '#platform/postgres/database.ts'
import type { Secret } from '#kernel/secret.ts'

export type OnFileCharge = {
  readonly form: Form
  readonly merchant: Merchant
  readonly price: FeeQuote
  readonly securityCode: Secret
  readonly detail: FormDetail
}

// A card that the payer has left with the merchant before. Its number is nowhere in sight; only its security
// code is asked for, because whoever holds the address need not be the cardholder.
export type CardOnFile = {
  readonly brand: CardBrand
  readonly kind: CardKind
  readonly lastFour: string
  readonly expiry: CardExpiry
  // Tells this card from every other, whatever digits they end in.
  readonly key: string
  readonly charge: (order: OnFileCharge) => Promise<Paid>
}

type BankVisit = { readonly at: Temporal.Instant; readonly until: Temporal.Instant }

// What a form is given by whoever leads payers to it.
export type FormExtras = {
  // What else changes together with the payment, such as the link that led to the form.
  readonly also: readonly Following[]
  readonly onFile: CardOnFile | null
  // Of many payments: the declines of all its visits, each with a form of its own, count together.
  readonly sharedLink: bigint | null
  // A payer goes to the bank, at this moment, and may come back until that one. In the commit that begins the
  // order; false: it is not begun.
  readonly onOrder: (tx: Tx, visit: BankVisit) => Promise<boolean>
  // Too many cards were tried. In the commit that closes the form.
  readonly onClosed: (tx: Tx) => Promise<void>
}
