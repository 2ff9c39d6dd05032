import { Type } from 'typebox'
import {
  exampleSchedule,
  ScheduledPayment,
  scheduledPaymentToWire,
  type ShownInstalment,
} from '#capabilities/recurring/scheduled-payment.wire.ts'
import type { FoundRecords } from '#capabilities/search/found-records.ts'
import {
  lastPage,
  NumRecords,
  PageMembers,
  pageToWire,
  queryFromWire,
  queryMessage,
  queryRefusals,
  QueryRequest,
} from '#capabilities/search/query.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'

export const querySchedulesContract = defineContract({
  path: 'Query/RecurringSchedule',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'RecurringSchedule_QueryResult',
  access: 'session',
  load: 'query',
  takesKey: false,
  isBeyondSpecification: true,
  title: 'Query scheduled payments',
  description:
    'Finds the payments of plans, past and to come, by an expression of the query language ' +
    '(docs/query-language.md). Newest plan first, and of a plan the last payment first, in pages.',
  request: QueryRequest,
  result: Type.Object({
    NumRecords,
    Schedule: Type.Array(ScheduledPayment, { description: 'What was found; empty when nothing was.' }),
    ...PageMembers,
  }),
  refusals: queryRefusals,
  example: {
    request: { Query: "(B=1)&&(C>='6/1/2027')&&(C<'7/1/2027')" },
    result: { NumRecords: 1, Schedule: [exampleSchedule], ...lastPage },
    message: 'Successfully Returned Schedule Records : 1',
  },
  fromWire: queryFromWire,
  toWire: (found: FoundRecords<ShownInstalment>) => ({
    message: queryMessage('Schedule', found),
    members: {
      NumRecords: found.records.length,
      Schedule: found.records.map(scheduledPaymentToWire),
      ...pageToWire(found),
    },
  }),
  refusedToWire: () => ({ NumRecords: 0, Schedule: [], ...lastPage }),
})
