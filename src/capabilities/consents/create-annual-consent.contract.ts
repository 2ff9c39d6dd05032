import { Type } from 'typebox'
import { ConsentDays, amountOrNone, numberOrNone } from '#capabilities/consents/consent.wire.ts'
import type { ConsentWish } from '#capabilities/consents/create-annual-consent.operation.ts'
import type { CreatedConsent } from '#capabilities/consents/create-consent.operation.ts'
import {
  createdToWire,
  creationMembers,
  creationRefusals,
  detailsFrom,
  notCreatedToWire,
  partyMembers,
  referenceMembers,
} from '#capabilities/consents/new-consent.wire.ts'
import { cardFromWire, CardInfoRequest } from '#capabilities/wire/card-info.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { LeavableAmount, readCalendarDate, WireMoment } from '#capabilities/wire/scalars.wire.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { ok } from '#kernel/result.ts'

const ConsentCreator = Type.Object(
  {
    ...referenceMembers,
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

const names: ConsentWish['names'] = { startsOn: 'ConsentCreator.StartDate', days: 'ConsentCreator.NumDays' }

export const createAnnualConsentContract = defineContract({
  path: 'ConsentAnnual/Create_MAN',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'ConsentAnnual_Create_MANResult',
  access: 'session',
  load: 'money',
  currencyOf: { kind: 'record', path: 'ConsentCreator.MerchID' },
  takesKey: true,
  isBeyondSpecification: true,
  title: 'Create an annual consent',
  description:
    'Stores a card with the agreement of its holder to charge it within limits. Depending on the settings ' +
    'of the account the issuer is asked for an authorization of 0 first; when it declines, nothing is stored.',
  request: Type.Object({ ccCardInfo: CardInfoRequest, ConsentCreator, ...partyMembers }),
  result: Type.Object(creationMembers),
  refusals: creationRefusals,
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
  fromWire: ({ ccCardInfo, ConsentCreator: creator, ...parties }) => {
    const card = cardFromWire(ccCardInfo)
    if (!card.ok) return card
    const startsOn = creator.StartDate ? readCalendarDate(creator.StartDate, names.startsOn) : ok(null)
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
      details: detailsFrom(creator, parties),
      names,
    })
  },
  toWire: (created: CreatedConsent) => createdToWire('Annual', created),
  refusedToWire: notCreatedToWire,
})
