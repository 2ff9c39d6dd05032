import { Type } from 'typebox'
import type { DueWish } from '#capabilities/collection/process-due-payments.operation.ts'
import type { Processed } from '#capabilities/collection/processed.ts'
import {
  exampleItem,
  nothingProcessed,
  ProcessedResult,
  processedToWire,
} from '#capabilities/collection/processed.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { ok } from '#kernel/result.ts'

export const processDuePaymentsContract = defineContract({
  path: 'RecurringSchedule/ProcessScheduledPayments',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'ProcessScheduledPaymentsResult',
  access: 'session',
  load: 'money',
  currencyOf: { kind: 'record', path: 'MerchID' },
  takesKey: true,
  isBeyondSpecification: false,
  title: 'Process scheduled payments',
  description:
    'Charges everything that is due for a merchant record: scheduled, and its day reached in the zone of ' +
    'the record. Each payment is charged at most once, whatever runs at the same time, so the call may be ' +
    'repeated. One that would take longer than half a minute answers what is done by then and goes on. ' +
    'Sent again with its Idempotency-Key it tells what it has come to, and charges nothing, on whatever ' +
    'day: every run needs a key of its own.',
  request: Type.Object({
    MerchID: Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'The merchant record.',
      'x-id': true,
    }),
  }),
  result: ProcessedResult,
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'key_running',
    'key_reused',
    'merchant_not_found',
  ],
  example: {
    request: { MerchID: 1 },
    result: {
      ApprovedPayments: [exampleItem],
      DeclinedPayments: [],
      UnknownPayments: [],
      NotChargedSchedIDs: [],
      NumApproved: 1,
      NumDeclined: 0,
      NumPartialAuths: 0,
      NumProcessed: 1,
      RunState: 'FINISHED',
    },
    message: 'Total Processed: 1 Approved: 1 Declined: 0 Partial: 0',
  },
  fromWire: ({ MerchID }) => ok<DueWish>({ merchant: merchantNumber(MerchID) }),
  toWire: (processed: Processed) => processedToWire(processed),
  refusedToWire: () => nothingProcessed,
})
