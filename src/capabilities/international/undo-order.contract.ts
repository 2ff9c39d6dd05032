import { Type } from 'typebox'
import type { UndoneOrder, UndoWish } from '#capabilities/international/undo-order.operation.ts'
import { exact, moneyToWire } from '#capabilities/wire/amounts.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { WireFilled } from '#capabilities/wire/published.wire.ts'
import { outOfRange, WireAmount, WireFlag, WireText } from '#capabilities/wire/scalars.wire.ts'
import { declineText } from '#engine/payments/decline-codes.ts'
import { ok } from '#kernel/result.ts'

// Spec "International void or credit".
export const undoOrderContract = defineContract({
  path: 'Intl/VoidCredit',
  prefix: '/APIcardProcREST/v1.0.0/',
  // Spelled as given.
  resultKey: 'Intl_VoidCredtResult',
  access: 'session',
  load: 'vital',
  currencyOf: { kind: 'order', path: 'TransID' },
  takesKey: true,
  isBeyondSpecification: false,
  title: 'Void or credit an order',
  description:
    'Gives the payer back some or all of a settled order, in one call or in several; all together are at ' +
    'most the order. The whole amount before the bank cut-off is a void, everything else a refund. Either ' +
    'adds a record with Action CREDITVOID to the order.',
  request: Type.Object({
    TransID: WireFilled(75, 'The transaction to void or credit.'),
    CreditAmt: WireAmount('The amount that the payer gets back.'),
  }),
  result: Type.Object({
    CreditAmt: Type.Number({ description: 'What the payer gets back; 0 when nothing.' }),
    TransID: WireText(36, 'The transaction; empty when there is none.'),
    TxApproved: WireFlag('Approved.'),
  }),
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'key_running',
    'key_reused',
    'value_out_of_range',
    'no_international_record',
    'transaction_not_found',
    'order_not_open',
    'credit_over_sale',
    'not_charged',
    'outcome_unknown',
    'charge_reversed',
  ],
  example: {
    request: { TransID: '0e4cf0f5-7f0b-45a8-b5ab-3f0a5ef1a1d7', CreditAmt: 5 },
    result: { CreditAmt: 5, TransID: '0e4cf0f5-7f0b-45a8-b5ab-3f0a5ef1a1d7', TxApproved: true },
    message: 'Succesfull VOID/Credit',
  },
  fromWire: ({ TransID, CreditAmt }) => {
    if (TransID === '') return outOfRange('TransID is empty')
    if (CreditAmt === 0) return outOfRange('CreditAmt must be more than 0')
    const amount = { amount: exact(CreditAmt), member: 'CreditAmt' }
    return ok<UndoWish>({ transactionId: TransID, amount })
  },
  toWire: ({ transactionId, amount, isApproved, code }: UndoneOrder) => ({
    // Spelled as given.
    message: isApproved ? 'Succesfull VOID/Credit' : declineText(code),
    members: {
      CreditAmt: isApproved ? moneyToWire(amount) : 0,
      TransID: transactionId,
      TxApproved: isApproved,
    },
  }),
  refusedToWire: (known: Pick<UndoneOrder, 'transactionId'> | null) => ({
    CreditAmt: 0,
    TransID: known?.transactionId ?? '',
    TxApproved: false,
  }),
})
