import type { Merchant } from '#engine/merchants/merchant.ts'
import { type Attempt, hasApproval, type PaymentDetails } from '#engine/payments/attempt.ts'
import { brandNames } from '#kernel/card-brand.ts'
import { printMoney, printWithCurrency } from '#kernel/money.ts'

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
export type ReceiptRow = {
  readonly label: string
  readonly value: string
  // The moment that the value tells, by the merchant's clock, such as 2027-01-15T05:04: what other languages
  // print it from. Receipts that were kept before have none.
  readonly local?: string
}

export type ReceiptCopy = 'merchant' | 'customer'

const titles: Partial<Record<Attempt['kind'], string>> = {
  sale: 'Sale',
  void: 'Void',
  credit: 'Refund',
  bank_debit: 'Bank debit',
  bank_void: 'Void of a bank debit',
  bank_credit: 'Refund to a bank account',
  // The only one of these that has a receipt: a refund that never left.
  bank_credit_return: 'Void of a refund to a bank account',
}

export type ReceiptFacts = { readonly merchant: Merchant; readonly isSandbox: boolean }

export function receiptOfPayment(attempt: Attempt, { merchant, isSandbox }: ReceiptFacts): Receipt {
  const { details, kind, parentId } = attempt
  const isApproved = hasApproval(attempt.state)
  const { base, fee, total } = isApproved ? attempt.approved : attempt.amounts
  const rows = [
    ...holderRows(details),
    { label: 'Transaction ID', value: String(attempt.attemptId) },
    { label: undoes[kind] ?? '', value: undoes[kind] === undefined ? '' : String(parentId) },
    { label: 'Reference', value: details.clientRef },
    momentRow('Date', attempt.createdAt, merchant.timeZone),
    { label: 'Card type', value: brandNames[details.brand] },
    { label: 'Entry method', value: entryMethod(attempt) },
    { label: 'For', value: details.service },
    { label: isApproved ? 'Approval' : 'Code', value: attempt.resultCode },
    { label: 'Amount', value: printMoney(base) },
    { label: 'Fee', value: fee.minor > 0n ? printMoney(fee) : '' },
    { label: 'Total', value: printWithCurrency(total) },
  ]
  return {
    title: titles[kind] ?? '',
    outcome: outcomeOf(attempt),
    merchant: shownMerchant(merchant),
    rows: rows.filter(isSaid),
    total: printWithCurrency(total),
    isSandbox,
  }
}

const undoes: Partial<Record<Attempt['kind'], string>> = {
  void: 'Voids',
  credit: 'Refunds',
  bank_void: 'Voids',
  bank_credit_return: 'Voids',
  bank_credit: 'Refunds',
}

function outcomeOf({ state }: Attempt): string {
  if (state === 'partial') return 'APPROVED IN PART'
  return state === 'approved' ? 'APPROVED' : 'DECLINED'
}

export function holderRows(
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

export function isSaid({ value }: ReceiptRow): boolean {
  return value !== ''
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

function momentRow(label: string, at: Temporal.Instant, zone: string): ReceiptRow {
  const local = at.toZonedDateTimeISO(zone).toPlainDateTime().toString({ smallestUnit: 'minute' })
  return { label, value: printDate(at, zone), local }
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

// Jan 15, 2027
export function printDay({
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
