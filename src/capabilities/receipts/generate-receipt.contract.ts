import { Type } from 'typebox'
import type {
  MisledWish,
  ReceiptWish,
  ReceiptType,
} from '#capabilities/receipts/generate-receipt.operation.ts'
import { orderReceiptType } from '#capabilities/receipts/order-receipt.ts'
import { copiesFor, Recipient, receiptToWire } from '#capabilities/receipts/receipt.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import type { RequestFault } from '#capabilities/wire/error-codes.ts'
import { WireFilled } from '#capabilities/wire/published.wire.ts'
import { outOfRange, type WireOf } from '#capabilities/wire/scalars.wire.ts'
import { ok, type Result } from '#kernel/result.ts'

const ReceiptRequest = Type.Object({
  // As long as the one of an order, so that whoever asks here for its receipt is told where to.
  REFID: WireFilled(75, 'The TxID, or for the types 4 and 5 the ConsentID.'),
  ReceiptType: Type.Integer({
    minimum: 1,
    maximum: orderReceiptType,
    description:
      '1 transaction, 2 void, 3 refund, 4 annual consent, 5 recurring consent; of a bank account 7 debit, ' +
      '8 void, 9 refund. 23, of an international order, is for Intl/ReceiptGenerate.',
  }),
  Recipient,
})

export const generateReceiptContract = defineContract({
  path: 'Receipt/ReceiptGenerate',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'ReceiptGenerateResult',
  access: 'session',
  load: 'query',
  takesKey: false,
  isBeyondSpecification: true,
  title: 'Print a receipt',
  description:
    'Answers the receipt of a transaction or consent as an HTML page in pure ASCII, ready to be printed. ' +
    'What it says is kept from the first time it is asked for, so that a reprint never changes.',
  request: ReceiptRequest,
  result: Type.Object({ ReceiptHtml: Type.String({ description: 'The page; empty when refused.' }) }),
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'value_out_of_range',
    'transaction_not_found',
    'consent_not_found',
    'receipt_not_of_type',
    'outcome_unknown',
  ],
  example: {
    request: { REFID: '57', ReceiptType: 1, Recipient: 2 },
    result: { ReceiptHtml: '<!doctype html>...' },
    message: 'Successfully Returned Transaction Receipt Markup',
  },
  fromWire: wishFromWire,
  toWire: receiptToWire,
  refusedToWire: () => ({ ReceiptHtml: '' }),
})

function wishFromWire(body: WireOf<typeof ReceiptRequest>): Result<ReceiptWish | MisledWish, RequestFault> {
  const { REFID, ReceiptType: type, Recipient: recipient } = body
  if (type === orderReceiptType) return ok({ type, reference: REFID })
  // Messages tell ids with zeros in front: Transaction ID : 000057.
  if (!/^0*[1-9]\d{0,14}$/.test(REFID)) return outOfRange('REFID must be a TxID or a ConsentID')
  if (!isReceiptType(type)) return outOfRange('ReceiptType must be 1 to 5 or 7 to 9')
  return ok({ type, subject: BigInt(REFID), copies: copiesFor(recipient) })
}

function isReceiptType(type: number): type is ReceiptType {
  return type >= 1 && type <= 9 && type !== 6
}
