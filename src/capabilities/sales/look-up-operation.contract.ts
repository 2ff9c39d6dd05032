import { Type } from 'typebox'
import {
  amountsShown,
  type FoundOperation,
  operationKinds,
  stateWord,
  stateWords,
} from '#capabilities/sales/found-operation.ts'
import type { Sought } from '#capabilities/sales/look-up-operation.operation.ts'
import { AmountsResult, amountsToWire } from '#capabilities/wire/amounts.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import type { RequestFault } from '#capabilities/wire/error-codes.ts'
import { countSentence } from '#capabilities/wire/newest.wire.ts'
import { WireWord } from '#capabilities/wire/published.wire.ts'
import { WireId, WireMoment, type WireOf, WireReference, WireText } from '#capabilities/wire/scalars.wire.ts'
import { printMoment } from '#kernel/calendar.ts'
import type { Newest } from '#kernel/newest.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

const OperationRecord = Type.Object(
  {
    TxID: Type.Integer({ description: 'The transaction; 0 for what was made without one.' }),
    ConsentID: Type.Integer({ description: 'The consent it made or was made under; 0 when there is none.' }),
    Kind: WireWord(
      operationKinds,
      'sale, verify, void, credit or consent; of a bank account bank_debit, bank_void, bank_credit, ' +
        'bank_return or bank_credit_return; found by its key alone batch, form or link. The key of a run ' +
        'of scheduled payments finds their sales.',
    ),
    Operation: WireText(
      75,
      'The call that it belongs to; empty for payments that are collected by themselves, and for returns.',
    ),
    State: WireWord(
      stateWords,
      'approved, partial, declined, unknown, reversed, not sent or refused. Of a batch: what its bank ' +
        'said; a form or link that was made is approved, whether or not it is paid.',
    ),
    RefTxID: Type.Integer({
      description: 'What a void, credit or return belongs to; 0 otherwise.',
    }),
    Amounts: AmountsResult,
    CreatedOn: WireMoment('When it was asked for.'),
  },
  { title: 'OperationRecord' },
)

const LookupRequest = Type.Object({
  IdempotencyKey: Type.Optional(WireReference(255, 'The Idempotency-Key that was sent with the call.')),
  RefID: Type.Optional(WireReference(75, 'The ClientRefID or RPGUID that was sent in it.')),
  TxID: Type.Optional(WireId('The transaction, of whatever kind: a verification or a void, too.')),
})

export const lookUpOperationContract = defineContract({
  path: 'Operation/Lookup',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Operation_LookupResult',
  access: 'session',
  load: 'query',
  takesKey: false,
  isBeyondSpecification: true,
  title: 'Look up an operation',
  description:
    'Finds a call again whose answer was lost: by its TxID, by the Idempotency-Key it was sent with, or by ' +
    'the ClientRefID or RPGUID in it (among the newest 1,000 of the account first, and among all others ' +
    'where none of these has it). Newest first, at most 100. When several are given, the first of these counts.',
  request: LookupRequest,
  result: Type.Object({
    Operations: Type.Array(OperationRecord, { description: 'What was found; empty when nothing was.' }),
  }),
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'missing_member',
    'transaction_not_found',
  ],
  example: {
    request: { RefID: 'order-1001' },
    result: {
      Operations: [
        {
          TxID: 57,
          ConsentID: 0,
          Kind: 'sale',
          Operation: 'CardSale/Manual',
          State: 'approved',
          RefTxID: 0,
          Amounts: { BaseAmt: 25.5, Surcharge: 0, TotalAmt: 25.5 },
          CreatedOn: '2026-11-15T10:00:00.000Z',
        },
      ],
    },
    message: 'Found 1 operation',
  },
  fromWire: soughtFromWire,
  toWire: (operations: Newest<FoundOperation>) => ({
    message: countSentence(operations, 'operation'),
    members: { Operations: operations.found.map(operationToWire) },
  }),
  refusedToWire: () => ({ Operations: [] }),
})

function soughtFromWire({
  IdempotencyKey: key = '',
  RefID: reference = '',
  TxID: transaction,
}: WireOf<typeof LookupRequest>): Result<Sought, RequestFault> {
  if (transaction !== undefined) return ok({ by: 'transaction', text: String(transaction) })
  if (key !== '') return ok({ by: 'key', text: key })
  if (reference !== '') return ok({ by: 'reference', text: reference })
  const problem = 'IdempotencyKey, RefID and TxID are missing; one of them is needed'
  return refuse('missing_member', { problem })
}

function operationToWire(found: FoundOperation): WireOf<typeof OperationRecord> {
  return {
    TxID: Number(found.transactionId),
    ConsentID: Number(found.consentId),
    Kind: found.kind,
    Operation: found.operation || callOf(found),
    State: stateWord(found),
    RefTxID: Number(found.parentId),
    Amounts: amountsToWire(amountsShown(found)),
    CreatedOn: printMoment(found.createdAt),
  }
}

// What it did tells which call it was: only what was found by its key has the name of the call with it.
function callOf(found: FoundOperation): string {
  const { kind, origin, following, askedBy } = found
  if (kind === 'void') return askedBy === 'order' ? 'Intl/VoidCredit' : 'CardSale/Void'
  if (kind === 'credit') return askedBy === 'order' ? 'Intl/VoidCredit' : 'CardSale/ApplyCredit'
  if (kind === 'bank_void') return 'ACH/Void'
  if (kind === 'bank_credit') return 'ACH/ApplyCredit'
  if (kind === 'bank_credit_return' && askedBy === 'void') return 'ACH/Void'
  // Made by a bank, or because of what a bank has made.
  if (kind === 'bank_return' || kind === 'bank_credit_return') return ''
  // By a payer, on the form or by the link that this call has made.
  if (origin === 'WID') return following.includes('link') ? 'Other/SMSPay' : 'CardSale/InitForm'
  return kind === 'bank_debit' ? 'ACH/Sale' : callByFollowers(found)
}

function callByFollowers({ origin, following, askedBy }: FoundOperation): string {
  if (following.includes('new_plan')) return 'ConsentRecurring/Create'
  if (following.includes('new_consent')) return 'ConsentAnnual/Create_MAN'
  if (following.includes('instalment')) {
    if (origin === 'AUTO') return ''
    const path = 'RecurringSchedule/ProcessScheduledPayments'
    return askedBy === 'choice' ? `${path}Selective` : path
  }
  if (following.includes('consent'))
    return askedBy === 'token' ? 'Intl/ProcPayment' : 'ConsentAnnual/ChargeStoredCard'
  return 'CardSale/Manual'
}
