import { Type } from 'typebox'
import { BankResult, bankMembersOf, refusedBankMembers } from '#capabilities/bank-debits/bank-debit.wire.ts'
import type { BankVoidWish } from '#capabilities/bank-debits/void-bank-debit.operation.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { WireId } from '#capabilities/wire/scalars.wire.ts'
import { type Attempt, attemptId } from '#engine/payments/attempt.ts'
import { ok } from '#kernel/result.ts'

export const voidBankDebitContract = defineContract({
  path: 'ACH/Void',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'ACHTransaction_VoidResult',
  access: 'session',
  load: 'vital',
  currencyOf: { kind: 'transaction', path: 'TxID' },
  takesKey: true,
  isBeyondSpecification: true,
  title: 'Void a bank debit',
  description:
    'Undoes a bank debit in full, or a credit of one, before it is in a settlement: it never goes to the ' +
    'bank. A debit whose credit is voided counts it no longer; one with credits is voided after them.',
  request: Type.Object({ TxID: WireId('The bank debit or the credit.') }),
  result: BankResult,
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'key_running',
    'key_reused',
    'transaction_not_found',
    'debit_not_voidable',
    'not_charged',
    'outcome_unknown',
    'charge_reversed',
  ],
  example: {
    request: { TxID: 57 },
    result: { AuthID: '482915', TxApproved: true, TxID: 58 },
    message: 'VOIDED Transaction ID : 57',
  },
  fromWire: (body) => ok<BankVoidWish>({ itemId: attemptId(BigInt(body.TxID)) }),
  toWire: (done: Attempt) => ({
    message: `VOIDED Transaction ID : ${done.parentId}`,
    members: bankMembersOf(done),
  }),
  refusedToWire: (known: Attempt | null) => refusedBankMembers(known),
})
