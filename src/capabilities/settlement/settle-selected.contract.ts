import { Type } from 'typebox'
import {
  refusedSettlement,
  settlementExample,
  settlementRefusals,
  SettlementResult,
  settlementToWire,
} from '#capabilities/settlement/batch-result.wire.ts'
import type { Selection } from '#capabilities/settlement/settle-selected.operation.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { outOfRange, WireId } from '#capabilities/wire/scalars.wire.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { ok } from '#kernel/result.ts'

const idsMax = 10_000

export const settleSelectedContract = defineContract({
  path: 'Settlement/ExecuteBatch_Selective',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'Settlement_ExecuteBatch_SelectiveResult',
  access: 'session',
  load: 'money',
  currencyOf: { kind: 'record', path: 'MerchID' },
  takesKey: true,
  isBeyondSpecification: false,
  title: 'Settle selected transactions',
  description:
    'Settles the named transactions of a merchant record, all of them or none: the list is refused if one ' +
    'of it is not of the record, not approved, voided, in a batch already, or listed twice. A batch that ' +
    'failed before is settled first, alone, as the same group.',
  request: Type.Object({
    TransactionIDs: Type.Array(WireId('A sale or credit.'), { maxItems: idsMax }),
    MerchID: WireId('The merchant record.'),
  }),
  result: SettlementResult,
  refusals: [...settlementRefusals, 'value_out_of_range'],
  example: {
    request: { TransactionIDs: [56, 57], MerchID: 1 },
    result: settlementExample,
    message: 'Successful Settlement : OK 003 0720 0000',
  },
  fromWire: ({ TransactionIDs: sent, MerchID }) => {
    const seen = new Set<number>()
    for (const id of sent) {
      if (seen.has(id)) return outOfRange(`TransactionIDs names ${id} twice`)
      seen.add(id)
    }
    return ok<Selection>({ merchantNumber: merchantNumber(MerchID), ids: sent.map(BigInt) })
  },
  toWire: settlementToWire,
  refusedToWire: refusedSettlement,
})
