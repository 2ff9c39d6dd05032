import { Type } from 'typebox'
import type { CreditWish } from '#capabilities/sales/credit-sale.operation.ts'
import { exact } from '#capabilities/wire/amounts.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { outOfRange, WireAmount, WireFlag, WireId, WireText } from '#capabilities/wire/scalars.wire.ts'
import { type Attempt, attemptId, hasApproval } from '#engine/payments/attempt.ts'
import { declineText } from '#engine/payments/decline-codes.ts'
import { ok } from '#kernel/result.ts'

export const creditSaleContract = defineContract({
  path: 'CardSale/ApplyCredit',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Transaction_ApplyCreditResult',
  access: 'session',
  load: 'money',
  currencyOf: { kind: 'transaction', path: 'TxID' },
  takesKey: true,
  asksKeyLate: true,
  isBeyondSpecification: true,
  title: 'Credit a sale',
  description:
    'Gives the payer back some or all of an approved sale, before or after its settlement, in one credit ' +
    'or in several. All credits together are at most the sale. CreditAmount is the whole sum that the ' +
    'payer gets back: of a fee it holds the share in proportion, to the cent, and the last credit takes ' +
    'what is left. The credit is settled with the next batch.',
  request: Type.Object({
    TxID: WireId('The sale.'),
    CreditAmount: WireAmount('The whole sum that the payer gets back, fee included.'),
  }),
  result: Type.Object({
    TxApproved: WireFlag('The credit is approved and will be settled.'),
    TxID: Type.Integer({ description: 'The transaction of the credit itself; 0 when none was recorded.' }),
    TxnCode: WireText(12, 'The decline code; empty unless declined.'),
  }),
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'key_running',
    'key_reused',
    'value_out_of_range',
    'transaction_not_found',
    'sale_not_open',
    'credit_over_sale',
    'not_charged',
    'outcome_unknown',
    'charge_reversed',
  ],
  example: {
    request: { TxID: 56, CreditAmount: 10.5 },
    result: { TxApproved: true, TxID: 57, TxnCode: '' },
    message: 'Successful Credit Pending Transaction ID : 000057',
  },
  fromWire: (body) => {
    if (body.CreditAmount === 0) return outOfRange('CreditAmount must be more than 0')
    const amount = { amount: exact(body.CreditAmount), member: 'CreditAmount' }
    return ok<CreditWish>({ saleId: attemptId(BigInt(body.TxID)), amount })
  },
  toWire: (credit: Attempt) => ({
    message: messageOf(credit),
    members: {
      TxApproved: hasApproval(credit.state),
      TxID: Number(credit.attemptId),
      TxnCode: hasApproval(credit.state) ? '' : credit.resultCode,
    },
  }),
  refusedToWire: (credit: Attempt | null) => ({
    TxApproved: false,
    TxID: credit ? Number(credit.attemptId) : 0,
    TxnCode: '',
  }),
})

function messageOf({ attemptId: id, state, resultCode }: Attempt): string {
  if (!hasApproval(state)) return declineText(resultCode)
  return `Successful Credit Pending Transaction ID : ${String(id).padStart(6, '0')}`
}
