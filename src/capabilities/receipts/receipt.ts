import { meansWords, moneyWords, timeWords, usualTongue } from '#capabilities/payer-words/tongue.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { type Attempt, hasApproval, type PaymentDetails } from '#engine/payments/attempt.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { Currency } from '#kernel/currency.ts'
import type { Money } from '#kernel/money.ts'

// All that a receipt says, as it said it the first time. Kept as it is, so that a reprint never changes: not
// when the merchant moves, not when a sale is voided.
export type Receipt = {
  readonly title: string
  // For people: APPROVED, DECLINED, ACTIVE.
  readonly outcome: string
  readonly merchant: { readonly name: string; readonly location: string; readonly address: string }
  readonly rows: readonly ReceiptRow[]
  // The sum at the top; null where no money moves.
  readonly total: string | null
  readonly sum?: KeptMoney
  readonly isSandbox: boolean
}
export type ReceiptRow = {
  readonly label: string
  readonly value: string
  // What other languages write the value from: a moment by the merchant's clock, such as 2027-01-15T05:04, an
  // amount, or what was paid with. Receipts that were kept before have less of it.
  readonly local?: string
  readonly money?: KeptMoney
  readonly means?: KeptMeans
}
export type KeptMoney = { readonly minor: string; readonly currency: Currency }
type KeptMeans = { readonly brand: CardBrand; readonly lastFour: string }

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
    meansRow(kind, details),
    { label: 'Entry method', value: entryMethod(attempt) },
    { label: 'For', value: details.service },
    { label: isApproved ? 'Approval' : 'Code', value: attempt.resultCode },
    moneyRow('Amount', base),
    ...(fee.minor > 0n ? [moneyRow('Fee', fee)] : []),
    totalRow(total),
  ]
  return {
    title: titles[kind] ?? '',
    outcome: outcomeOf(attempt),
    merchant: shownMerchant(merchant),
    rows: rows.filter(isSaid),
    ...sumOf(total),
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

export function momentRow(label: string, at: Temporal.Instant, zone: string): ReceiptRow {
  const local = at.toZonedDateTimeISO(zone).toPlainDateTime().toString({ smallestUnit: 'minute' })
  return { label, value: timeWords(at, zone, usualTongue), local }
}

export function moneyRow(label: string, money: Money): ReceiptRow {
  return { label, value: moneyWords(money, usualTongue), money: keptMoney(money) }
}

// $9,900.98 USD: a total names its currency, once.
export function totalRow(total: Money): ReceiptRow {
  const row = moneyRow('Total', total)
  return row.value.includes(total.currency) ? row : { ...row, value: `${row.value} ${total.currency}` }
}

export function sumOf(total: Money): Required<Pick<Receipt, 'total' | 'sum'>> {
  return { total: moneyWords(total, usualTongue), sum: keptMoney(total) }
}

function keptMoney({ minor, currency }: Money): KeptMoney {
  return { minor: String(minor), currency }
}

export function cardRow({ brand, lastFour }: KeptMeans): ReceiptRow {
  return brand === ''
    ? { label: 'Card type', value: '' }
    : { label: 'Card type', value: meansWords({ brand, lastFour }, usualTongue), means: { brand, lastFour } }
}

const bankMeans: Partial<Record<Attempt['kind'], string>> = {
  bank_debit: 'Paid with',
  bank_credit: 'Refunded to',
}

function meansRow(kind: Attempt['kind'], { brand, lastFour }: PaymentDetails): ReceiptRow {
  const label = bankMeans[kind]
  if (label === undefined) return cardRow({ brand, lastFour })
  const means = { brand: '', lastFour } as const
  return { label, value: meansWords(means, usualTongue), means }
}
