import { Type } from 'typebox'
import { consentMembers, consentToWire, exampleConsent } from '#capabilities/search/consent-record.wire.ts'
import type { FoundRecurringConsent } from '#capabilities/search/found-consent.ts'
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
import { moneyToWire } from '#capabilities/wire/amounts.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { WireFlag, type WireOf, WireText } from '#capabilities/wire/scalars.wire.ts'

const RecurringConsent = Type.Object(
  {
    ...consentMembers,
    IsEnabled: WireFlag('Not cancelled, and a payment is scheduled or being charged.'),
    RTotalAmt: Type.Number({ description: 'All payments together; -1 without end.' }),
    RNumPayments: Type.Integer({ description: 'The number of payments; -1 without end.' }),
    RPaymentAmt: Type.Number({ description: 'The usual payment.' }),
    RLastPaymentAmt: Type.Number({ description: 'The last payment, which takes the remainder.' }),
    RPeriod: WireText(13, 'How often it is paid, such as WEEKLY.'),
    RAmtPaidSoFar: Type.Number({ description: 'What was paid so far.' }),
  },
  { title: 'RecurringConsentRecord' },
)

export const queryRecurringConsentsContract = defineContract({
  path: 'Query/ConsentRecurring',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'ConsentRecurring_QueryResult',
  access: 'session',
  load: 'query',
  takesKey: false,
  isBeyondSpecification: true,
  title: 'Query recurring consents',
  description:
    'Finds consents with a payment plan, cancelled ones included, by an expression of the query language ' +
    '(docs/query-language.md). Newest first, in pages.',
  request: QueryRequest,
  result: Type.Object({
    NumRecords,
    Consents: Type.Array(RecurringConsent, { description: 'What was found; empty when nothing was.' }),
    ...PageMembers,
  }),
  refusals: queryRefusals,
  example: {
    request: { Query: "(H='True')&&(D LIKE 'Exa%')" },
    result: {
      NumRecords: 1,
      Consents: [
        {
          ...exampleConsent,
          RTotalAmt: 120,
          RNumPayments: 12,
          RPaymentAmt: 10,
          RLastPaymentAmt: 10,
          RPeriod: 'WEEKLY',
          RAmtPaidSoFar: 20,
        },
      ],
      ...lastPage,
    },
    message: 'Successfully Returned Consent Records : 1',
  },
  fromWire: queryFromWire,
  toWire: (found: FoundRecords<FoundRecurringConsent>) => ({
    message: queryMessage('Consent', found),
    members: {
      NumRecords: found.records.length,
      Consents: found.records.map(recurringConsentToWire),
      ...pageToWire(found),
    },
  }),
  refusedToWire: () => ({ NumRecords: 0, Consents: [], ...lastPage }),
})

function recurringConsentToWire(found: FoundRecurringConsent): WireOf<typeof RecurringConsent> {
  return {
    ...consentToWire(found),
    RTotalAmt: found.payments === null ? -1 : moneyToWire(found.total),
    RNumPayments: found.payments ?? -1,
    RPaymentAmt: moneyToWire(found.payment),
    RLastPaymentAmt: moneyToWire(found.lastPayment),
    RPeriod: found.period,
    RAmtPaidSoFar: moneyToWire(found.paid),
  }
}
