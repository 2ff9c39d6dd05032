import {
  cardRow,
  isSaid,
  momentRow,
  moneyRow,
  type Receipt,
  shownMerchant,
  sumOf,
  totalRow,
} from '#capabilities/receipts/receipt.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { Order } from '#engine/orders/order.ts'

// Spec "International receipt": always 23.
export const orderReceiptType = 23

type Facts = { readonly merchant: Merchant; readonly isSandbox: boolean }

// What was bought; that it was voided or refunded later is told by records of their own.
export function receiptOfOrder(order: Order, { merchant, isSandbox }: Facts): Receipt {
  const { payer, card, amount } = order
  const rows = [
    { label: 'Cardholder', value: `${payer.firstName} ${payer.lastName}`.trim() },
    { label: 'Account', value: `x${card.lastFour}` },
    { label: 'Expiry', value: 'xxxx' },
    { label: 'Transaction ID', value: order.transactionId },
    { label: 'Reference', value: order.clientRef },
    momentRow('Date', order.createdAt, merchant.timeZone),
    cardRow(card),
    { label: 'Entry method', value: entryMethod(order) },
    { label: 'For', value: order.service },
    moneyRow('Amount', amount),
    totalRow(amount),
  ]
  return {
    title: 'Sale',
    outcome: outcomeOf(order),
    merchant: shownMerchant(merchant),
    rows: rows.filter(isSaid),
    ...sumOf(amount),
    isSandbox,
  }
}

function entryMethod({ action, origin, instalmentId }: Order): string {
  if (instalmentId !== null) return 'Scheduled'
  if (action === 'RECURRING_SALE') return 'Card on file'
  return origin === 'WID' ? 'Online' : 'Manual'
}

function outcomeOf({ state }: Order): string {
  if (state === 'declined') return 'DECLINED'
  return state === 'reversed' ? 'REVERSED' : 'APPROVED'
}
