import { Type } from 'typebox'
import type { ConsentDetails } from '#capabilities/consents/consent.ts'
import type { CreatedConsent } from '#capabilities/consents/create-consent.operation.ts'
import { chargeText, sandboxNotes } from '#capabilities/wire/charge.wire.ts'
import { holderFromWire, personFromWire, PersonRequest } from '#capabilities/wire/person.wire.ts'
import { WireFlag, type WireOf, WireReference, WireText } from '#capabilities/wire/scalars.wire.ts'
import type { Attempt } from '#engine/payments/attempt.ts'

// How a card is stored under a consent, whatever kind it is: the part that both contracts share.

// Who agrees, and for whom.
export const partyMembers = {
  AcctHolder: Type.Optional(PersonRequest),
  EndCustomer: Type.Optional(PersonRequest),
}
const Parties = Type.Object(partyMembers)

// What ConsentCreator begins with.
export const referenceMembers = {
  MerchID: Type.Integer({
    minimum: 1,
    maximum: 2_147_483_647,
    description: 'The merchant record.',
    'x-id': true,
  }),
  CustomerRefID: Type.Optional(WireReference(75, 'Reference of your own.')),
  ServiceDescrip: Type.Optional(WireReference(200, 'What is paid for.')),
  RPGUID: Type.Optional(WireReference(75, 'Reference of your own.')),
}
const References = Type.Object(referenceMembers)

export function detailsFrom(
  creator: WireOf<typeof References>,
  { AcctHolder, EndCustomer }: WireOf<typeof Parties>,
): ConsentDetails {
  const holder = holderFromWire(AcctHolder)
  const customer = personFromWire(EndCustomer)
  return {
    customerRef: creator.CustomerRefID ?? '',
    service: creator.ServiceDescrip ?? '',
    guid: creator.RPGUID ?? '',
    holderFirstName: holder.firstName,
    holderLastName: holder.lastName,
    customerFirstName: customer.firstName,
    customerLastName: customer.lastName,
    company: holder.company || customer.company,
    email: holder.email || customer.email,
    phone: holder.phone || customer.phone,
    street: holder.street,
    zip: holder.zip,
  }
}

export const creationMembers = {
  ConsentID: Type.Integer({ description: 'The consent; 0 when none was made.' }),
  CreationSuccess: WireFlag('The card is stored.'),
  PreConsentAuthMessage: WireText(200, 'What the issuer said to an authorization of 0.'),
  PreConsentAuthSuccess: WireFlag('The issuer approved it.'),
  PreConsentAuthTxID: Type.Integer({ description: 'Its transaction; 0 when the account wants none.' }),
}

export const creationRefusals = [
  'session_invalid',
  'session_elsewhere',
  'rate_limited',
  'card_testing',
  'key_running',
  'key_reused',
  'invalid_card',
  'card_expired',
  'merchant_not_found',
  'consent_not_found',
  'value_out_of_range',
  'not_charged',
  'outcome_unknown',
  'charge_reversed',
] as const

export function createdToWire(kind: 'Annual' | 'Recurring', { consentId, verification }: CreatedConsent) {
  const told = verification ? chargeText(verification) : ''
  return {
    message: consentId
      ? `Success : Created ${kind} Consent ID : ${String(consentId).padStart(6, '0')}`
      : told,
    members: {
      ConsentID: Number(consentId ?? 0n),
      CreationSuccess: consentId !== null,
      PreConsentAuthMessage: told,
      PreConsentAuthSuccess: verification?.state === 'approved',
      PreConsentAuthTxID: Number(verification?.attemptId ?? 0n),
    },
    notes: verification ? sandboxNotes(verification) : {},
  }
}

export function notCreatedToWire(attempt: Attempt | null) {
  return {
    ConsentID: 0,
    CreationSuccess: false,
    PreConsentAuthMessage: '',
    PreConsentAuthSuccess: false,
    PreConsentAuthTxID: Number(attempt?.attemptId ?? 0n),
  }
}
