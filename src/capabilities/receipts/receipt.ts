import type { Merchant } from '#engine/merchants/merchant.ts'
import type { Attempt, PaymentDetails } from '#engine/payments/attempt.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import { type Money, printMoney } from '#kernel/money.ts'

// All that a receipt says, as it said it the first time. Kept as it is, so that a reprint never changes: not
// when the merchant moves, not when a sale is voided.
export type Receipt = {
  readonly title: string
  // For people: APPROVED, DECLINED, ACTIVE.
  readonly outcome: string
  readonly merchant: { readonly name: string; readonly location: string; readonly address: string }
  readonly rows: readonly ReceiptRow[]
  // The sum at the top, with its currency; null where no money moves.
  readonly total: string | null
  readonly isSandbox: boolean
}
export type ReceiptRow = { readonly label: string; readonly value: string }

export type ReceiptCopy = 'merchant' | 'customer'

const titles: Partial<Record<Attempt['kind'], string>> = {
  sale: 'Sale',
  void: 'Void',
  credit: 'Refund',
  bank_debit: 'Bank debit',
  bank_void: 'Void of a bank debit',
  bank_credit: 'Refund to a bank account',
}

type Facts = { readonly merchant: Merchant; readonly isSandbox: boolean }

export function receiptOfPayment(attempt: Attempt, { merchant, isSandbox }: Facts): Receipt {
  const { details, kind, parentId } = attempt
  const isApproved = attempt.state === 'approved' || attempt.state === 'partial'
  const { base, fee, total } = isApproved ? attempt.approved : attempt.amounts
  const rows = [
    ...holderRows(details),
    { label: 'Transaction ID', value: String(attempt.attemptId) },
    { label: undoes[kind] ?? '', value: undoes[kind] === undefined ? '' : String(parentId) },
    { label: 'Reference', value: details.clientRef },
    { label: 'Date', value: printDate(attempt.createdAt, merchant.timeZone) },
    { label: 'Card type', value: brandNames[details.brand] },
    { label: 'Entry method', value: entryMethod(attempt) },
    { label: 'For', value: details.service },
    { label: isApproved ? 'Approval' : 'Code', value: attempt.resultCode },
    { label: 'Amount', value: printMoney(base) },
    { label: 'Fee', value: fee.minor > 0n ? printMoney(fee) : '' },
    { label: 'Total', value: printSum(total) },
  ]
  return {
    title: titles[kind] ?? '',
    outcome: outcomeOf(attempt),
    merchant: shownMerchant(merchant),
    rows: rows.filter(isSaid),
    total: printSum(total),
    isSandbox,
  }
}

const undoes: Partial<Record<Attempt['kind'], string>> = {
  void: 'Voids',
  credit: 'Refunds',
  bank_void: 'Voids',
  bank_credit: 'Refunds',
}

function outcomeOf({ state }: Attempt): string {
  if (state === 'partial') return 'APPROVED IN PART'
  return state === 'approved' ? 'APPROVED' : 'DECLINED'
}

export type PlanFacts = {
  readonly period: string
  readonly payment: Money
  // Null for a subscription, which has no end.
  readonly payments: number | null
  readonly total: Money
}

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

export function receiptOfConsent(consent: ConsentFacts, { merchant, isSandbox }: Facts): Receipt {
  const rows = [
    ...holderRows({ ...consent, expiry: 'xx/xx' }),
    { label: 'Card type', value: brandNames[consent.brand] },
    { label: 'Consent ID', value: String(consent.consentId) },
    { label: 'Reference', value: consent.reference },
    { label: 'For', value: consent.service },
    { label: 'Agreed', value: printDate(consent.agreedAt, merchant.timeZone) },
    { label: 'Valid from', value: printDay(consent.startsOn) },
    ...(consent.plan ? planRows(consent.plan) : limitRows(consent)),
    { label: 'Agreement', value: consent.agreement },
  ]
  return {
    title: consent.isRecurring ? 'Agreement to recurring payments' : 'Agreement to charge a stored card',
    outcome: consent.isCancelled ? 'CANCELLED' : 'ACTIVE',
    merchant: shownMerchant(merchant),
    rows: rows.filter(isSaid),
    total: null,
    isSandbox,
  }
}

// A plan has no limits of its own: it says what is charged, and how often.
function limitRows({ endsOn, limitPerCharge, limitLifetime }: ConsentFacts): readonly ReceiptRow[] {
  return [
    { label: 'Valid to', value: printDay(endsOn) },
    { label: 'At most a charge', value: printSum(limitPerCharge) },
    { label: 'At most in all', value: printSum(limitLifetime) },
  ]
}

function planRows({ period, payment, payments, total }: PlanFacts): readonly ReceiptRow[] {
  return [
    { label: 'Period', value: period },
    { label: 'Each payment', value: printSum(payment) },
    { label: 'Payments', value: payments === null ? 'until cancelled' : String(payments) },
    { label: 'In all', value: payments === null ? '' : printSum(total) },
  ]
}

function holderRows(
  details: Pick<PaymentDetails, 'holderFirstName' | 'holderLastName' | 'lastFour' | 'expiry'>,
): readonly ReceiptRow[] {
  const { holderFirstName, holderLastName, lastFour, expiry } = details
  const isCard = expiry !== ''
  return [
    { label: isCard ? 'Cardholder' : 'Account holder', value: `${holderFirstName} ${holderLastName}`.trim() },
    { label: 'Account', value: `x${lastFour}` },
    { label: 'Expiry', value: isCard ? 'xxxx' : '' },
  ]
}

export function shownMerchant({ name, location, address }: Merchant): Receipt['merchant'] {
  return { name, location, address }
}

function isSaid({ value }: ReceiptRow): boolean {
  return value !== ''
}

export const brandNames: Readonly<Record<CardBrand, string>> = {
  VI: 'Visa',
  MC: 'Mastercard',
  AE: 'American Express',
  DS: 'Discover',
  DC: 'Diners Club',
  JC: 'JCB',
  UP: 'UnionPay',
  '': '',
}

const origins: Readonly<Record<PaymentDetails['origin'], string>> = {
  API: 'Manual',
  WID: 'Online',
  VT: 'Terminal',
  AUTO: 'Scheduled',
}

function entryMethod({ kind, details }: Attempt): string {
  if (kind.startsWith('bank_')) return 'Bank transfer (ACH)'
  return details.origin === 'API' && details.consentId !== '' ? 'Card on file' : origins[details.origin]
}

export function printSum(sum: Money): string {
  return `${printMoney(sum)} ${sum.currency}`
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

// Jan 15, 2027
function printDay({
  year,
  month,
  day,
}: {
  readonly year: number
  readonly month: number
  readonly day: number
}) {
  return `${months[month - 1]} ${day}, ${year}`
}

// Jan 15, 2027 5:04 AM, in the zone of the merchant record. Written here and not by Intl, whose blanks and
// words change with its version.
export function printDate(at: Temporal.Instant, zone: string): string {
  const local = at.toZonedDateTimeISO(zone)
  const hour = local.hour % 12 === 0 ? 12 : local.hour % 12
  const minute = String(local.minute).padStart(2, '0')
  return `${printDay(local)} ${hour}:${minute} ${local.hour < 12 ? 'AM' : 'PM'}`
}
