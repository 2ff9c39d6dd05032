import { Type } from 'typebox'
import type { VoidWish, VoidReport, Voided } from '#capabilities/sales/void-sale.operation.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { WireFlag, WireId, WireText } from '#capabilities/wire/scalars.wire.ts'
import { attemptId } from '#engine/payments/attempt.ts'
import { declineText } from '#engine/payments/decline-codes.ts'
import { ok } from '#kernel/result.ts'

export const voidSaleContract = defineContract({
  path: 'CardSale/Void',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Transaction_VoidResult',
  access: 'session',
  load: 'vital',
  currencyOf: { kind: 'transaction', path: 'TxID' },
  takesKey: true,
  asksKeyLate: true,
  isBeyondSpecification: true,
  title: 'Void a sale',
  description:
    'Undoes an approved sale in full, before it is settled. What the sale counted against the limits of a ' +
    'consent is given back. A sale can be voided once.',
  request: Type.Object({ TxID: WireId('The sale.') }),
  result: Type.Object({
    TxApproved: WireFlag('The sale is undone.'),
    TxID: Type.Integer({ description: 'The sale; 0 when there is none.' }),
    VoidTxID: Type.Integer({ description: 'The transaction of the void itself; 0 when none was recorded.' }),
    TxnCode: WireText(12, 'The decline code; empty unless declined.'),
  }),
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'key_running',
    'key_reused',
    'transaction_not_found',
    'sale_not_open',
    'not_charged',
    'outcome_unknown',
    'charge_reversed',
  ],
  example: {
    request: { TxID: 57 },
    result: { TxApproved: true, TxID: 57, VoidTxID: 58, TxnCode: '' },
    message: 'VOIDED Transaction ID : 57',
  },
  fromWire: (body) => ok<VoidWish>({ saleId: attemptId(BigInt(body.TxID)) }),
  toWire: (done: Voided) => ({
    message: done.isApproved ? `VOIDED Transaction ID : ${done.saleId}` : declineText(done.code),
    members: {
      TxApproved: done.isApproved,
      ...idsToWire(done),
      TxnCode: done.isApproved ? '' : done.code,
    },
  }),
  refusedToWire: (known: VoidReport | null) => ({
    TxApproved: false,
    ...(known ? idsToWire(known) : { TxID: 0, VoidTxID: 0 }),
    TxnCode: '',
  }),
})

function idsToWire({ saleId, voidId }: VoidReport): { readonly TxID: number; readonly VoidTxID: number } {
  return { TxID: Number(saleId), VoidTxID: voidId === null ? 0 : Number(voidId) }
}
