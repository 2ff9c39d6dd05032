import { Type } from 'typebox'
import type { FoundConsent } from '#capabilities/search/found-consent.ts'
import type { FoundRecords } from '#capabilities/search/found-records.ts'
import {
  NumRecords,
  queryFromWire,
  queryMessage,
  queryRefusals,
  QueryRequest,
} from '#capabilities/search/query.wire.ts'
import { moneyToWire } from '#capabilities/wire/amounts.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { WireFlag, WireMoment, type WireOf, WireText } from '#capabilities/wire/scalars.wire.ts'
import { printCalendarDate, printMoment } from '#kernel/calendar.ts'

const AnnualConsent = Type.Object(
  {
    ID: Type.Integer({ description: 'The consent, elsewhere called ConsentID.' }),
    MerchID: Type.Integer({ description: 'The merchant record.' }),
    AcctHolderID: Type.Integer({ description: 'The account holder: the same number as the consent.' }),
    AcctHolderFirstName: WireText(75, 'First name of the account holder.'),
    AcctHolderLastName: WireText(75, 'Last name of the account holder.'),
    AcctNo: WireText(4, 'Last four digits of the card.'),
    AuthTxID: Type.Integer({ description: 'The authorization of 0 at its creation; 0 without one.' }),
    CustomerRefID: WireText(75, 'Reference of your own.'),
    RPGUID: WireText(75, 'Reference of your own.'),
    ServiceDescrip: WireText(200, 'What is paid for.'),
    StartDate: WireMoment('The first good day.'),
    EndDate: WireMoment('The last good day.'),
    IsEnabled: WireFlag('Not cancelled.'),
    CreatedOn: WireMoment('When it was made.'),
    CreatedBy: WireText(75, 'Who made it.'),
    NumDays: Type.Integer({ description: 'Days from the start, as agreed.' }),
    LimitPerCharge: Type.Number({ description: 'The most for one charge.' }),
    LimitLifeTime: Type.Number({ description: 'The most for all charges.' }),
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
    '(docs/query-language.md). Newest first, at most 10,000.',
  request: QueryRequest,
  result: Type.Object({
    NumRecords,
    Consents: Type.Array(AnnualConsent, { description: 'What was found; empty when nothing was.' }),
  }),
  refusals: queryRefusals,
  example: {
    request: { Query: "(H='True')&&(D LIKE 'Exa%')" },
    result: {
      NumRecords: 1,
      Consents: [
        {
          ID: 22,
          MerchID: 1,
          AcctHolderID: 22,
          AcctHolderFirstName: 'Ann',
          AcctHolderLastName: 'Example',
          AcctNo: '1111',
          AuthTxID: 58,
          CustomerRefID: 'C-1',
          RPGUID: '',
          ServiceDescrip: 'Membership',
          StartDate: '2026-11-15T00:00:00.000Z',
          EndDate: '2027-11-15T00:00:00.000Z',
          IsEnabled: true,
          CreatedOn: '2026-11-15T10:00:00.000Z',
          CreatedBy: 'till',
          NumDays: 365,
          LimitPerCharge: 100000,
          LimitLifeTime: 1000000,
        },
      ],
    },
    message: 'Successfully Returned Consent Records : 1',
  },
  fromWire: queryFromWire,
  toWire: (found: FoundRecords<FoundConsent>) => ({
    message: queryMessage('Consent', found),
    members: { NumRecords: found.records.length, Consents: found.records.map(consentToWire) },
  }),
  refusedToWire: () => ({ NumRecords: 0, Consents: [] }),
})

function consentToWire(found: FoundConsent): WireOf<typeof AnnualConsent> {
  return {
    ID: Number(found.consentId),
    MerchID: found.merchantNumber,
    AcctHolderID: Number(found.consentId),
    AcctHolderFirstName: found.holderFirstName,
    AcctHolderLastName: found.holderLastName,
    AcctNo: found.lastFour,
    AuthTxID: Number(found.verificationId ?? 0n),
    CustomerRefID: found.customerRef,
    RPGUID: found.guid,
    ServiceDescrip: found.service,
    StartDate: printCalendarDate(found.startsOn),
    EndDate: printCalendarDate(found.endsOn),
    IsEnabled: found.isEnabled,
    CreatedOn: printMoment(found.createdAt),
    CreatedBy: found.createdBy,
    NumDays: found.days,
    LimitPerCharge: moneyToWire(found.limitPerCharge),
    LimitLifeTime: moneyToWire(found.limitLifetime),
  }
}
