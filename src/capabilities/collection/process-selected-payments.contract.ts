import { Type } from 'typebox'
import type { Selection } from '#capabilities/collection/process-selected-payments.operation.ts'
import type { Processed } from '#capabilities/collection/processed.ts'
import {
  exampleItem,
  nothingProcessed,
  ProcessedResult,
  processedToWire,
} from '#capabilities/collection/processed.wire.ts'
import { instalmentId } from '#capabilities/recurring/instalment.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { WireId } from '#capabilities/wire/scalars.wire.ts'
import { ok } from '#kernel/result.ts'

export const processSelectedPaymentsContract = defineContract({
  path: 'RecurringSchedule/ProcessScheduledPaymentsSelective',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'ProcessScheduledPaymentsSelectiveResult',
  access: 'session',
  load: 'money',
  currencyOf: { kind: 'schedules', path: 'SchedIDs' },
  takesKey: true,
  isBeyondSpecification: false,
  title: 'Process selected scheduled payments',
  description:
    'Charges exactly the named payments, due or not: scheduled ones, and failed ones whose retries are ' +
    'used up. If one cannot be charged, or is listed twice, the whole list is refused and nothing is ' +
    'charged. Sent again with its Idempotency-Key it tells what it has come to; what it names as not ' +
    'charged needs another key, unless nothing was charged at all.',
  request: Type.Object({
    SchedIDs: Type.Array(WireId('A scheduled payment.'), {
      minItems: 1,
      maxItems: 10_000,
      description: 'The scheduled payments, each once.',
    }),
  }),
  result: ProcessedResult,
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'key_running',
    'key_reused',
    'schedule_not_found',
    'schedule_not_open',
    'schedule_listed_twice',
  ],
  example: {
    request: { SchedIDs: [10, 11] },
    result: {
      ApprovedPayments: [exampleItem],
      DeclinedPayments: [
        {
          ...exampleItem,
          SchedID: 11,
          PaymentNum: 2,
          SEQ: '0000',
          TxApproved: false,
          TxID: 58,
          TxnCode: 51,
          TxnCodeText: '51',
          ErrMsg: 'DECLINED: insufficient funds',
        },
      ],
      UnknownPayments: [],
      NotChargedSchedIDs: [],
      NumApproved: 1,
      NumDeclined: 1,
      NumPartialAuths: 0,
      NumProcessed: 2,
      RunState: 'FINISHED',
    },
    message: 'Total Processed: 2 Approved: 1 Declined: 1 Partial: 0',
  },
  fromWire: ({ SchedIDs }) => ok<Selection>({ instalments: SchedIDs.map((id) => instalmentId(BigInt(id))) }),
  toWire: (processed: Processed) => processedToWire(processed),
  refusedToWire: () => nothingProcessed,
})
