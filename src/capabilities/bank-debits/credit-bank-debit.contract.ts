import { Type } from 'typebox'
import { BankResult, bankMembersOf, refusedBankMembers } from '#capabilities/bank-debits/bank-debit.wire.ts'
import type { BankCreditWish } from '#capabilities/bank-debits/credit-bank-debit.operation.ts'
import { exact } from '#capabilities/wire/amounts.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { WireAmount, WireId } from '#capabilities/wire/scalars.wire.ts'
import { type Attempt, attemptId } from '#engine/payments/attempt.ts'
import { ok } from '#kernel/result.ts'

export const creditBankDebitContract = defineContract({
  path: 'ACH/ApplyCredit',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'ACH_ApplyCreditResult',
  access: 'session',
  load: 'money',
  currencyOf: { kind: 'transaction', path: 'TxID' },
  takesKey: true,
  isBeyondSpecification: true,
  title: 'Credit a bank debit',
  description:
    'Gives money back to the bank account it was taken from: in full or in parts, several times, never ' +
    'more than the debit. The credit goes to the bank with the next settlement, unless the debit comes ' +
    'back before: then it is voided, which the event payment.voided tells.',
  request: Type.Object({
    TxID: WireId('The bank debit.'),
    CreditAmount: WireAmount('What to give back, in dollars.'),
  }),
  result: BankResult,
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'key_running',
    'key_reused',
    'value_out_of_range',
    'transaction_not_found',
    'debit_not_creditable',
    'not_charged',
    'outcome_unknown',
    'charge_reversed',
  ],
  example: {
    request: { TxID: 57, CreditAmount: 10.25 },
    result: { AuthID: '730164', TxApproved: true, TxID: 59 },
    message: 'Successful Credit Pending Transaction ID : 000059',
  },
  fromWire: (body) =>
    ok<BankCreditWish>({
      debitId: attemptId(BigInt(body.TxID)),
      amount: { amount: exact(body.CreditAmount), member: 'CreditAmount' },
    }),
  toWire: (done: Attempt) => ({
    message: `Successful Credit Pending Transaction ID : ${String(done.attemptId).padStart(6, '0')}`,
    members: bankMembersOf(done),
  }),
  refusedToWire: (known: Attempt | null) => refusedBankMembers(known),
})
