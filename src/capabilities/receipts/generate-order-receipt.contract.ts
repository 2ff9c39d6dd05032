import { Type } from 'typebox'
import type { OrderReceiptWish } from '#capabilities/receipts/generate-order-receipt.operation.ts'
import { orderReceiptType } from '#capabilities/receipts/order-receipt.ts'
import { copiesFor, Recipient, receiptToWire } from '#capabilities/receipts/receipt.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { WireFilled } from '#capabilities/wire/published.wire.ts'
import { outOfRange } from '#capabilities/wire/scalars.wire.ts'
import { ok } from '#kernel/result.ts'

// Spec "International receipt".
export const generateOrderReceiptContract = defineContract({
  path: 'Intl/ReceiptGenerate',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Intl_ReceiptGenerateResult',
  access: 'session',
  load: 'query',
  takesKey: false,
  isBeyondSpecification: false,
  title: 'Print the receipt of an international order',
  description:
    'Answers the receipt of an international order as an HTML page in pure ASCII, ready to be printed. ' +
    'What it says is kept from the first time it is asked for, so that a reprint never changes.',
  request: Type.Object({
    REFID: WireFilled(75, 'The transaction ID.'),
    ReceiptType: Type.Integer({ description: 'Always 23.' }),
    Recipient,
  }),
  result: Type.Object({ ReceiptHtml: Type.String({ description: 'The page; empty when refused.' }) }),
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'value_out_of_range',
    'no_international_record',
    'transaction_not_found',
    'outcome_unknown',
  ],
  example: {
    request: { REFID: '0e4cf0f5-7f0b-45a8-b5ab-3f0a5ef1a1d7', ReceiptType: 23, Recipient: 3 },
    result: { ReceiptHtml: '<!doctype html>...' },
    message: 'Successfully Returned Transaction Receipt Markup',
  },
  fromWire: ({ REFID, ReceiptType, Recipient: recipient }) => {
    if (ReceiptType !== orderReceiptType) return outOfRange(`ReceiptType must be ${orderReceiptType}`)
    if (REFID === '') return outOfRange('REFID is empty')
    return ok<OrderReceiptWish>({ transactionId: REFID, copies: copiesFor(recipient) })
  },
  toWire: receiptToWire,
  refusedToWire: () => ({ ReceiptHtml: '' }),
})
