import { Type } from 'typebox'
import {
  refusedSettlement,
  settlementExample,
  settlementRefusals,
  SettlementResult,
  settlementToWire,
} from '#capabilities/settlement/batch-result.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { WireId } from '#capabilities/wire/scalars.wire.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { ok } from '#kernel/result.ts'

export const settleAllContract = defineContract({
  path: 'Settlement/ExecuteBatch_All',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Settlement_ExecuteBatch_AllResult',
  access: 'session',
  load: 'money',
  currencyOf: { kind: 'record', path: 'MerchID' },
  takesKey: true,
  isBeyondSpecification: false,
  title: 'Settle all transactions',
  description:
    'Closes the day of a merchant record: all its approved sales and credits that are neither voided nor ' +
    'in a batch are settled together. A batch that failed before keeps its transactions and is settled ' +
    'first, alone, as the same group; RemainingUnsettled shows the rest.',
  request: Type.Object({ MerchID: WireId('The merchant record.') }),
  result: SettlementResult,
  refusals: settlementRefusals,
  example: {
    request: { MerchID: 1 },
    result: settlementExample,
    message: 'Successful Settlement : OK 003 0720 0000',
  },
  fromWire: (body) => ok({ merchantNumber: merchantNumber(body.MerchID) }),
  toWire: settlementToWire,
  refusedToWire: refusedSettlement,
})
