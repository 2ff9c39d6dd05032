import { Type } from 'typebox'
import { consentId } from '#capabilities/consents/consent.ts'
import {
  ConsentDays,
  ConsentNumber,
  amountOrNone,
  numberOrNone,
  textOrNone,
} from '#capabilities/consents/consent.wire.ts'
import type {
  ConsentChanges,
  ModifiedConsent,
} from '#capabilities/consents/modify-annual-consent.operation.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import {
  LeavableAmount,
  LeavableEmail,
  LeavableNumber,
  WireFlag,
  WireText,
} from '#capabilities/wire/scalars.wire.ts'
import { ok } from '#kernel/result.ts'

const ConsentMods = Type.Object(
  {
    ExpMonth: Type.Optional(LeavableNumber(12, 'Month of expiry.')),
    ExpYear: Type.Optional(LeavableNumber(2_099, 'Year of expiry, two or four digits.')),
    Email: Type.Optional(LeavableEmail('E-mail of the payer.')),
    Zip: Type.Optional(WireText(20, 'Postal code of the payer.')),
    CustomerRefID: Type.Optional(WireText(75, 'Reference of your own.')),
    ServiceDescrip: Type.Optional(WireText(200, 'What is paid for.')),
    RPGUID: Type.Optional(WireText(75, 'Reference of your own.')),
    NumDays: Type.Optional(ConsentDays('Days from the start.')),
    LimitPerCharge: Type.Optional(LeavableAmount('The most for one charge.')),
    LimitLifeTime: Type.Optional(LeavableAmount('The most for all charges.')),
  },
  { title: 'AnnualConsentMods', description: 'An empty text, 0, -1 or nothing leaves a value as it is.' },
)

export const modifyAnnualConsentContract = defineContract({
  path: 'ConsentAnnual/Modify',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'ConsentAnnual_ModifyResult',
  access: 'session',
  load: 'change',
  takesKey: false,
  isBeyondSpecification: false,
  title: 'Modify an annual consent',
  description:
    'Changes expiry, references, term and limits of a consent; the stored card number stays. A limit may ' +
    'be set below what is used: then nothing more fits.',
  request: Type.Object({ ConsentID: ConsentNumber, ConsentMods }),
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
  example: {
    request: {
      ConsentID: 10,
      ConsentMods: { ExpMonth: 11, ExpYear: 30, Email: 'ann@example.com', NumDays: 0 },
    },
    result: { ModifySuccess: true },
    message: 'Success : Modified Consent ID : 10',
  },
  fromWire: ({ ConsentID, ConsentMods: mods }) => {
    const perCharge = amountOrNone(mods.LimitPerCharge, 'ConsentMods.LimitPerCharge')
    if (!perCharge.ok) return perCharge
    const lifetime = amountOrNone(mods.LimitLifeTime, 'ConsentMods.LimitLifeTime')
    if (!lifetime.ok) return lifetime
    return ok<ConsentChanges>({
      consentId: consentId(BigInt(ConsentID)),
      expiryMonth: numberOrNone(mods.ExpMonth),
      expiryYear: numberOrNone(mods.ExpYear),
      expiryMembers: 'ConsentMods.ExpMonth and ConsentMods.ExpYear',
      email: textOrNone(mods.Email),
      zip: textOrNone(mods.Zip),
      customerRef: textOrNone(mods.CustomerRefID),
      service: textOrNone(mods.ServiceDescrip),
      guid: textOrNone(mods.RPGUID),
      days: numberOrNone(mods.NumDays),
      limitPerCharge: perCharge.value,
      limitLifetime: lifetime.value,
    })
  },
  toWire: ({ consentId: modified }: ModifiedConsent) => ({
    message: `Success : Modified Consent ID : ${modified}`,
    members: { ModifySuccess: true },
  }),
  refusedToWire: () => ({ ModifySuccess: false }),
})
