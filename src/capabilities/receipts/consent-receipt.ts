import { planRows, type PlanFacts, isPlanOver } from '#capabilities/receipts/plan-rows.ts'
import {
  holderRows,
  isSaid,
  printDate,
  printDay,
  type Receipt,
  type ReceiptFacts,
  type ReceiptRow,
  shownMerchant,
} from '#capabilities/receipts/receipt.ts'
import { brandNames, type CardBrand } from '#kernel/card-brand.ts'
import { type Money, printWithCurrency } from '#kernel/money.ts'

export type ConsentFacts = {
  readonly consentId: bigint
  readonly isRecurring: boolean
  // By which it is charged; null for one that is charged when asked.
  readonly plan: PlanFacts | null
  readonly isCancelled: boolean
  readonly holderFirstName: string
  readonly holderLastName: string
  readonly lastFour: string
  readonly brand: CardBrand
  readonly reference: string
  readonly service: string
  readonly startsOn: Temporal.PlainDate
  readonly endsOn: Temporal.PlainDate
  readonly limitPerCharge: Money
  readonly limitLifetime: Money
  readonly agreement: string
  readonly agreedAt: Temporal.Instant
}

type Facts = ReceiptFacts & {
  // By the account's clock: what has changed since it was agreed is told as of then.
  readonly at: Temporal.Instant
}

export function receiptOfConsent(consent: ConsentFacts, { merchant, isSandbox, at }: Facts): Receipt {
  const asOf = printDate(at, merchant.timeZone)
  const rows = [
    ...holderRows({ ...consent, expiry: 'xx/xx' }),
    { label: 'Card type', value: brandNames[consent.brand] },
    { label: 'Consent ID', value: String(consent.consentId) },
    { label: 'Reference', value: consent.reference },
    { label: 'For', value: consent.service },
    { label: 'Agreed', value: printDate(consent.agreedAt, merchant.timeZone) },
    { label: 'Valid from', value: printDay(consent.startsOn) },
    ...(consent.plan ? planRows(consent.plan, asOf) : limitRows(consent)),
    { label: 'Agreement', value: consent.agreement },
  ]
  return {
    title: consent.isRecurring ? 'Agreement to recurring payments' : 'Agreement to charge a stored card',
    outcome: outcomeOf(consent),
    merchant: shownMerchant(merchant),
    rows: rows.filter(isSaid),
    total: null,
    isSandbox,
  }
}

function outcomeOf({ isCancelled, plan }: ConsentFacts): string {
  if (isCancelled) return 'CANCELLED'
  return plan && isPlanOver(plan) ? 'ENDED' : 'ACTIVE'
}

// A plan has no limits of its own: it says what is charged, and how often.
function limitRows({ endsOn, limitPerCharge, limitLifetime }: ConsentFacts): readonly ReceiptRow[] {
  return [
    { label: 'Valid to', value: printDay(endsOn) },
    { label: 'At most a charge', value: printWithCurrency(limitPerCharge) },
    { label: 'At most in all', value: printWithCurrency(limitLifetime) },
  ]
}
