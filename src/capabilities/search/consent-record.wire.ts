import { Type } from 'typebox'
import type { FoundConsent } from '#capabilities/search/found-consent.ts'
import { WireFlag, WireMoment, type WireOf, WireText } from '#capabilities/wire/scalars.wire.ts'
import { printCalendarDate, printMoment } from '#kernel/calendar.ts'

// What is shown of every consent.
export const consentMembers = {
  ID: Type.Integer({ description: 'The consent, elsewhere called ConsentID.' }),
  MerchID: Type.Integer({ description: 'The merchant record.' }),
  AcctHolderID: Type.Integer({ description: 'The account holder: the same number as the consent.' }),
  AcctHolderFirstName: WireText(75, 'First name of the account holder.'),
  AcctHolderLastName: WireText(100, 'Last name or company of the account holder.'),
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
}
const ConsentRecord = Type.Object(consentMembers)

export const exampleConsent: WireOf<typeof ConsentRecord> = {
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
}

export function consentToWire(found: FoundConsent): WireOf<typeof ConsentRecord> {
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
  }
}
