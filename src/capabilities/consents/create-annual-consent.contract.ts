import { Type } from 'typebox'
import { ConsentDays, amountOrNone, numberOrNone } from '#capabilities/consents/consent.wire.ts'
import type { ConsentWish, CreatedConsent } from '#capabilities/consents/create-annual-consent.operation.ts'
import { cardFromWire, CardInfoRequest } from '#capabilities/wire/card-info.wire.ts'
import { chargeToWire, sandboxNotes } from '#capabilities/wire/charge.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { type Person, personFromWire, PersonRequest } from '#capabilities/wire/person.wire.ts'
import {
  LeavableAmount,
  readCalendarDate,
  WireFlag,
  WireMoment,
  type WireOf,
  WireText,
} from '#capabilities/wire/scalars.wire.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { ok } from '#kernel/result.ts'

const ConsentCreator = Type.Object(
  {
    MerchID: Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'The merchant record.' }),
    CustomerRefID: Type.Optional(WireText(75, 'Reference of your own.')),
    ServiceDescrip: Type.Optional(WireText(200, 'What is paid for.')),
    RPGUID: Type.Optional(WireText(75, 'Reference of your own.')),
    StartDate: Type.Optional(WireMoment('The first day; today when empty.')),
    NumDays: Type.Optional(ConsentDays('Days from the start; 0 for the usual of the merchant record.')),
    LimitPerCharge: Type.Optional(
      LeavableAmount('The most for one charge; 0 or -1 for the usual of the merchant record.'),
    ),
    LimitLifeTime: Type.Optional(
      LeavableAmount('The most for all charges; 0 or -1 for the usual of the merchant record.'),
    ),
  },
  { title: 'ConsentCreator' },
)

const CreationResult = Type.Object({
  ConsentID: Type.Integer({ description: 'The consent; 0 when none was made.' }),
  CreationSuccess: WireFlag('The card is stored.'),
  PreConsentAuthMessage: WireText(200, 'What the issuer said to an authorization of 0.'),
  PreConsentAuthSuccess: WireFlag('The issuer approved it.'),
  PreConsentAuthTxID: Type.Integer({ description: 'Its transaction; 0 when the account wants none.' }),
})

export const createAnnualConsentContract = defineContract({
  path: 'ConsentAnnual/Create_MAN',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'ConsentAnnual_Create_MANResult',
  access: 'session',
  load: 'money',
  takesKey: true,
  isBeyondSpecification: true,
  title: 'Create an annual consent',
  description:
    'Stores a card with the agreement of its holder to charge it within limits. Depending on the settings ' +
    'of the account the issuer is asked for an authorization of 0 first; when it declines, nothing is stored.',
  request: Type.Object({
    ccCardInfo: CardInfoRequest,
    ConsentCreator,
    AcctHolder: Type.Optional(PersonRequest),
    EndCustomer: Type.Optional(PersonRequest),
  }),
  result: CreationResult,
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
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
  ],
  example: {
    request: {
      ccCardInfo: { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2030, CSV: '123' },
      ConsentCreator: { MerchID: 1, CustomerRefID: 'C-1', ServiceDescrip: 'Membership', NumDays: 365 },
      AcctHolder: { Firstname: 'Ann', Lastname: 'Example', BillIngAdress: { ZIP: '62701' } },
      EndCustomer: { Firstname: 'Ann', Lastname: 'Example' },
    },
    result: {
      ConsentID: 22,
      CreationSuccess: true,
      PreConsentAuthMessage: 'APPROVED QKZVHT',
      PreConsentAuthSuccess: true,
      PreConsentAuthTxID: 58,
    },
    message: 'Success : Created Annual Consent ID : 000022',
  },
  fromWire: ({ ccCardInfo, ConsentCreator: creator, AcctHolder, EndCustomer }) => {
    const card = cardFromWire(ccCardInfo)
    if (!card.ok) return card
    const startsOn = creator.StartDate
      ? readCalendarDate(creator.StartDate, 'ConsentCreator.StartDate')
      : ok(null)
    if (!startsOn.ok) return startsOn
    const perCharge = amountOrNone(creator.LimitPerCharge, 'ConsentCreator.LimitPerCharge')
    if (!perCharge.ok) return perCharge
    const lifetime = amountOrNone(creator.LimitLifeTime, 'ConsentCreator.LimitLifeTime')
    if (!lifetime.ok) return lifetime
    return ok<ConsentWish>({
      card: card.value,
      merchant: merchantNumber(creator.MerchID),
      startsOn: startsOn.value,
      days: numberOrNone(creator.NumDays),
      limitPerCharge: perCharge.value,
      limitLifetime: lifetime.value,
      details: detailsFrom(creator, personFromWire(AcctHolder), personFromWire(EndCustomer)),
    })
  },
  toWire: ({ consentId, verification }: CreatedConsent) => {
    const told = verification ? chargeToWire(verification).message : ''
    return {
      message: consentId
        ? `Success : Created Annual Consent ID : ${String(consentId).padStart(6, '0')}`
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
  },
  refusedToWire: (attempt: Attempt | null) => ({
    ConsentID: 0,
    CreationSuccess: false,
    PreConsentAuthMessage: '',
    PreConsentAuthSuccess: false,
    PreConsentAuthTxID: Number(attempt?.attemptId ?? 0n),
  }),
})

function detailsFrom(
  creator: WireOf<typeof ConsentCreator>,
  holder: Person,
  customer: Person,
): ConsentWish['details'] {
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
