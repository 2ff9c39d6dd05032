import { Type } from 'typebox'
import { consentMembers, consentToWire, exampleConsent } from '#capabilities/search/consent-record.wire.ts'
import type { FoundConsent } from '#capabilities/search/found-consent.ts'
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
import type { WireOf } from '#capabilities/wire/scalars.wire.ts'
import { type Money, subtractMoney } from '#kernel/money.ts'

const AnnualConsent = Type.Object(
  {
    ...consentMembers,
    NumDays: Type.Integer({ description: 'Days from the start, as agreed.' }),
    LimitPerCharge: Type.Number({ description: 'The most for one charge.' }),
    LimitLifeTime: Type.Number({ description: 'The most for all charges.' }),
    AmtUsed: Type.Number({ description: 'What counts against it: charges approved or not known yet.' }),
    AmtLeft: Type.Number({ description: 'What is left of it; 0 where it was lowered below what is used.' }),
  },
  { title: 'AnnualConsentRecord' },
)

export const queryAnnualConsentsContract = defineContract({
  path: 'Query/ConsentAnnual',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'ConsentAnnual_QueryResult',
  access: 'session',
  load: 'query',
  takesKey: false,
  isBeyondSpecification: true,
  title: 'Query annual consents',
  description:
    'Finds cards on file, cancelled ones included, by an expression of the query language ' +
    '(docs/query-language.md). Newest first, in pages.',
  request: QueryRequest,
  result: Type.Object({
    NumRecords,
    Consents: Type.Array(AnnualConsent, { description: 'What was found; empty when nothing was.' }),
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
          NumDays: 365,
          LimitPerCharge: 100000,
          LimitLifeTime: 1000000,
          AmtUsed: 12.5,
          AmtLeft: 999987.5,
        },
      ],
      ...lastPage,
    },
    message: 'Successfully Returned Consent Records : 1',
  },
  fromWire: queryFromWire,
  toWire: (found: FoundRecords<FoundConsent>) => ({
    message: queryMessage('Consent', found),
    members: {
      NumRecords: found.records.length,
      Consents: found.records.map(annualConsentToWire),
      ...pageToWire(found),
    },
  }),
  refusedToWire: () => ({ NumRecords: 0, Consents: [], ...lastPage }),
})

function annualConsentToWire(found: FoundConsent): WireOf<typeof AnnualConsent> {
  return {
    ...consentToWire(found),
    NumDays: found.days,
    LimitPerCharge: moneyToWire(found.limitPerCharge),
    LimitLifeTime: moneyToWire(found.limitLifetime),
    AmtUsed: moneyToWire(found.used),
    AmtLeft: moneyToWire(leftOf(found)),
  }
}

function leftOf({ limitLifetime, used }: FoundConsent): Money {
  const left = subtractMoney(limitLifetime, used)
  return left.minor > 0n ? left : { ...left, minor: 0n }
}
