import { Type } from 'typebox'
import { consentId } from '#capabilities/consents/consent.ts'
import { numberOrNone, textOrNone } from '#capabilities/consents/consent.wire.ts'
import type { ConsentChanges, ModifiedConsent } from '#capabilities/consents/modify-consent.operation.ts'
import {
  LeavableEmail,
  LeavableNumber,
  WireFlag,
  type WireOf,
  WireReference,
  WireText,
} from '#capabilities/wire/scalars.wire.ts'

// How a consent is modified, whatever kind it is: the part that both contracts share.

// What may be changed of either kind.
export const changeableMembers = {
  ExpMonth: Type.Optional(LeavableNumber(12, 'Month of expiry.')),
  ExpYear: Type.Optional(LeavableNumber(2_099, 'Year of expiry, two or four digits.')),
  Email: Type.Optional(LeavableEmail('E-mail of the payer.')),
  Zip: Type.Optional(WireText(20, 'Postal code of the payer.')),
  CustomerRefID: Type.Optional(WireReference(75, 'Reference of your own.')),
  ServiceDescrip: Type.Optional(WireReference(200, 'What is paid for.')),
  RPGUID: Type.Optional(WireReference(75, 'Reference of your own.')),
}
const ChangeableMembers = Type.Object(changeableMembers)

export const leavesAsItIs = 'An empty text, 0, -1 or nothing leaves a value as it is.'

type Changes = Omit<ConsentChanges, 'days' | 'limitPerCharge' | 'limitLifetime'>

export function changesFrom(consent: number, mods: WireOf<typeof ChangeableMembers>): Changes {
  return {
    consentId: consentId(BigInt(consent)),
    expiryMonth: numberOrNone(mods.ExpMonth),
    expiryYear: numberOrNone(mods.ExpYear),
    expiryMembers: 'ConsentMods.ExpMonth and ConsentMods.ExpYear',
    email: textOrNone(mods.Email),
    zip: textOrNone(mods.Zip),
    customerRef: textOrNone(mods.CustomerRefID),
    service: textOrNone(mods.ServiceDescrip),
    guid: textOrNone(mods.RPGUID),
  }
}

export const modifying = {
  result: Type.Object({ ModifySuccess: WireFlag('The consent is changed.') }),
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'consent_not_found',
    'consent_cancelled',
    'invalid_card',
    'card_expired',
    'value_out_of_range',
  ],
  toWire: ({ consentId: modified }: ModifiedConsent) => ({
    message: `Success : Modified Consent ID : ${modified}`,
    members: { ModifySuccess: true },
  }),
  refusedToWire: () => ({ ModifySuccess: false }),
} as const
