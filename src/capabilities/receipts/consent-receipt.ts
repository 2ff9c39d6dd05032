import { planRows, type PlanFacts, isPlanOver } from '#capabilities/receipts/plan-rows.ts'
import { dateWords, timeWords, usualTongue } from '#capabilities/payer-words/tongue.ts'
import {
  cardRow,
  holderRows,
  isSaid,
  moneyRow,
  momentRow,
  type Receipt,
  type ReceiptFacts,
  type ReceiptRow,
  shownMerchant,
} from '#capabilities/receipts/receipt.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { Money } from '#kernel/money.ts'

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
  // When it was made; null where that was not written down.
  readonly agreed: ConsentLimits | null
  // By now.
  readonly limits: ConsentLimits
  readonly agreement: string
  readonly agreedAt: Temporal.Instant
}

export type ConsentLimits = {
  readonly endsOn: Temporal.PlainDate
  readonly perCharge: Money
  readonly lifetime: Money
}

type Facts = ReceiptFacts & {
  // By the account's clock: what has changed since it was agreed is told as of then.
  readonly at: Temporal.Instant
}

export function receiptOfConsent(consent: ConsentFacts, { merchant, isSandbox, at }: Facts): Receipt {
  const asOf = timeWords(at, merchant.timeZone, usualTongue)
  const rows = [
    ...holderRows({ ...consent, expiry: 'xx/xx' }),
    cardRow(consent),
    { label: 'Consent ID', value: String(consent.consentId) },
    { label: 'Reference', value: consent.reference },
    { label: 'For', value: consent.service },
    momentRow('Agreed', consent.agreedAt, merchant.timeZone),
    { label: 'Valid from', value: dateWords(consent.startsOn, usualTongue) },
    ...(consent.plan ? planRows(consent.plan, asOf) : limitRows(consent, asOf)),
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

// A plan has no limits of its own: it says what is charged, and how often. What was changed since is told as
// what holds now, and never as what was agreed.
function limitRows({ agreed, limits }: ConsentFacts, asOf: string): readonly ReceiptRow[] {
  const before = agreed ? labelled(agreed) : []
  const changed = labelled(limits).filter(({ value }, at) => value !== before[at]?.value)
  if (changed.length === 0) return before
  const now = changed.map((row) => ({ ...row, label: `${row.label}, by now` }))
  return [...before, { label: 'As of', value: asOf }, ...now]
}

function labelled({ endsOn, perCharge, lifetime }: ConsentLimits): readonly ReceiptRow[] {
  return [
    { label: 'Valid to', value: dateWords(endsOn, usualTongue) },
    moneyRow('At most a charge', perCharge),
    moneyRow('At most in all', lifetime),
  ]
}
