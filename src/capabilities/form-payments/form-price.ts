import { takesAch } from '#capabilities/bank-debits/takes-ach.ts'
import type { CardKind } from '#engine/acquirers/acquirer.ts'
import { amountsOf } from '#engine/fees/amounts.ts'
import { clampFees } from '#engine/fees/clamp-fees.ts'
import { feeCaseOf } from '#engine/fees/fee-case.ts'
import { type FeeQuote, quoteFees } from '#engine/fees/quote-fees.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { assert } from '#kernel/assert.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import { isSameMoney, type Money } from '#kernel/money.ts'

// Whether the payer can choose a bank account.
export function takesBank(merchant: Merchant): boolean {
  return takesAch(merchant) && !merchant.isInternational
}

export type Means = {
  readonly merchant: Merchant
  readonly today: Temporal.PlainDate
  // null: a bank account, which costs nothing extra.
  readonly card: { readonly brand: CardBrand; readonly kind: CardKind } | null
}

type Asking = Means & {
  // The fee that the merchant asks for; null: what the card costs.
  readonly asked: Money | null
}

export type FormPrice = FeeQuote & {
  // Of a surcharge: 275 is 2.75 %. 0 where the fee is another one, or none.
  readonly surchargeBasisPoints: number
}

// What a payer pays with this card, or from a bank account. A fee that the merchant asks for is clamped as
// for a stored card: the payer never pays more than the card costs for this amount.
export function priceOf(base: Money, { asked, ...means }: Asking): FormPrice {
  const own = quoteFor(base, means)
  const price = clampedTo(own, asked)
  const isRated = own.decision.kind === 'surcharge' && own.fee.minor > 0n && isSameMoney(price.fee, own.fee)
  return { ...price, surchargeBasisPoints: isRated ? basisPointsOf(means) : 0 }
}

function clampedTo(own: FeeQuote, asked: Money | null): FeeQuote {
  if (!asked || own.decision.kind === 'none') return own
  const clamped = clampFees({ fee: asked, total: null }, own)
  assert(clamped.ok, 'a fee without a total is accepted where fees are configured')
  return clamped.value
}

// Every basis point of it is 100 minor units.
const sampleMinor = 1_000_000n

// What a card costs in proportion, caps included, beside what it costs whatever is paid.
export function basisPointsOf(means: Means): number {
  const { currency, feeKind, feeFixedMinor } = means.merchant
  const { fee } = quoteFor({ minor: sampleMinor, currency }, means)
  return Number((fee.minor - (feeKind === 'convenience' ? feeFixedMinor : 0n)) / 100n)
}

function quoteFor(base: Money, { merchant, today, card }: Means): FeeQuote {
  if (!card || merchant.isInternational) {
    const reason = card ? 'international orders carry no fee' : 'bank accounts carry no fee'
    const decision = { kind: 'none', rule: '', cap: null, reason, clamped: null } as const
    return { ...amountsOf(base, { minor: 0n, currency: base.currency }), decision }
  }
  return quoteFees(feeCaseOf(merchant, card, today), base)
}
