import { Type } from 'typebox'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { SignedInUser } from '#capabilities/sessions/token-owner.ts'
import { WireFlag, WireId, WireMoment, type WireOf, WireText } from '#capabilities/wire/scalars.wire.ts'
import { printMoment } from '#kernel/calendar.ts'

// Spec "Session and user (returned by Authenticate)".

export const MerchantRecord = Type.Object(
  {
    ID: WireId('The merchant record identifier, used as MerchID elsewhere.'),
    Descrip: WireText(75, 'The name.'),
    Location: WireText(75, 'The branch.'),
    Address: WireText(300, 'The address in one line.'),
    TermID: WireText(75, 'The terminal id.'),
  },
  { title: 'MerchantRecord' },
)

export const UserRecord = Type.Object(
  {
    ID: WireId('The API user.'),
    AcctID: WireId('The account.'),
    APILocationID: Type.Integer({
      minimum: 0,
      description: 'The merchant record the token is for; 0 for all.',
    }),
    AccountCode: WireText(9, 'The account code.'),
    Alias: WireText(75, 'The name of the API user.'),
    Description: WireText(200, 'The description of the account.'),
    TokenDescription: WireText(200, 'The description of the token.'),
    CreatedBy: WireText(75, 'Who issued the token.'),
    DateCreated: WireMoment('When the token was issued.'),
    DateModified: WireMoment('When the token was last changed.'),
    ExpirationDate: WireMoment('When the token expires: two years after it was issued.'),
    IsExpired: WireFlag('The token has expired.'),
    IsLockedOut: WireFlag('The account is locked out.'),
  },
  { title: 'UserRecord' },
)

export function merchantToWire(merchant: Merchant): WireOf<typeof MerchantRecord> {
  return {
    ID: merchant.merchantNumber,
    Descrip: merchant.name,
    Location: merchant.location,
    Address: merchant.address,
    TermID: merchant.terminalId,
  }
}

export function userToWire(user: SignedInUser): WireOf<typeof UserRecord> {
  return {
    ID: Number(user.userId),
    AcctID: Number(user.accountId),
    APILocationID: user.merchantNumber ?? 0,
    AccountCode: user.accountCode,
    Alias: user.alias,
    Description: user.accountDescription,
    TokenDescription: user.tokenDescription,
    CreatedBy: user.createdBy,
    DateCreated: printMoment(user.createdAt),
    DateModified: printMoment(user.changedAt),
    ExpirationDate: printMoment(user.expiresAt),
    IsExpired: user.isExpired,
    IsLockedOut: user.isLockedOut,
  }
}

export const merchantExample: WireOf<typeof MerchantRecord> = {
  ID: 1,
  Descrip: 'Corner Books',
  Location: 'Main Street',
  Address: '1 Main Street, Springfield, IL 62701, US',
  TermID: 'T0000001',
}

export const userExample: WireOf<typeof UserRecord> = {
  ID: 1,
  AcctID: 1,
  APILocationID: 0,
  AccountCode: 'TG0000001',
  Alias: 'sandbox',
  Description: 'Sandbox account',
  TokenDescription: 'Sandbox token',
  CreatedBy: 'tillgate',
  DateCreated: '2026-11-15T09:00:00.000Z',
  DateModified: '2026-11-15T09:00:00.000Z',
  ExpirationDate: '2028-11-15T09:00:00.000Z',
  IsExpired: false,
  IsLockedOut: false,
}
