import { Type } from 'typebox'
import {
  createdToWire,
  creationMembers,
  creationRefusals,
  detailsFrom,
  notCreatedToWire,
  partyMembers,
  referenceMembers,
} from '#capabilities/consents/new-consent.wire.ts'
import type {
  CreatedPlan,
  RecurringWish,
  WrittenPayment,
} from '#capabilities/recurring/create-recurring-consent.operation.ts'
import { paymentsMax } from '#capabilities/recurring/payment-plan.ts'
import { periodFrom, periodNames } from '#capabilities/recurring/period.ts'
import { PeriodRequest } from '#capabilities/recurring/scheduled-payment.wire.ts'
import { exact, moneyToWire } from '#capabilities/wire/amounts.wire.ts'
import { cardFromWire, CardInfoRequest } from '#capabilities/wire/card-info.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import {
  outOfRange,
  readCalendarDate,
  WireAmount,
  WireFlag,
  WireMoment,
  type WireOf,
} from '#capabilities/wire/scalars.wire.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import { printCalendarDate } from '#kernel/calendar.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { ok } from '#kernel/result.ts'

const ConsentCreator = Type.Object(
  {
    ...referenceMembers,
    StartDate: Type.Optional(WireMoment('The first payment; today when empty, at most 31 days back.')),
    NumPayments: Type.Integer({
      minimum: -1,
      maximum: paymentsMax,
      description: 'How many payments; 0 or -1 for a subscription without end.',
    }),
    TotalAmount: WireAmount('All payments together; of a subscription, each one.'),
    Period: PeriodRequest,
  },
  { title: 'RecurringConsentCreator' },
)

const PlannedItem = Type.Object(
  {
    SchedID: Type.Integer({ description: 'The scheduled payment.' }),
    paymentNo: Type.Integer({ description: 'Its number in the plan, from 1.' }),
    paymentAmt: Type.Number({ description: 'What is paid.' }),
    paymentDate: WireMoment('The day on which it is due.'),
    Remaining: Type.Number({ description: 'What is left to pay after it; -1 without end.' }),
  },
  { title: 'PlannedPayment' },
)

const CreationResult = Type.Object({
  ...creationMembers,
  CreationSuccess: WireFlag('The card is stored and the plan is written.'),
  MySched: Type.Array(PlannedItem, { description: 'Every payment; of a subscription, the first twelve.' }),
})

const names: RecurringWish['names'] = { startsOn: 'ConsentCreator.StartDate' }

export const createRecurringConsentContract = defineContract({
  path: 'ConsentRecurring/Create',
  prefix: '/APIcardProcREST/v1.0.0/',
  literalPath: '/ICardProcess/ConsentRecurring_Create',
  resultKey: 'ConsentRecurring_CreateResult',
  access: 'session',
  load: 'money',
  currencyOf: { kind: 'record', path: 'ConsentCreator.MerchID' },
  takesKey: true,
  isBeyondSpecification: false,
  title: 'Create a recurring consent',
  description:
    'Stores a card with the agreement of its holder to a payment plan, and writes every payment of it: the ' +
    'total is split to the cent and the last payment takes the remainder. Depending on the settings of the ' +
    'account the issuer is asked for an authorization of 0 first; when it declines, nothing is stored. ' +
    'Payments that are due already wait for the next run. Also at /ICardProcess/ConsentRecurring_Create; ' +
    'SessKey may be a member of the body.',
  request: Type.Object({ ccCardInfo: CardInfoRequest, ConsentCreator, ...partyMembers }),
  result: CreationResult,
  refusals: creationRefusals,
  example: {
    request: {
      ccCardInfo: { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2030, CSV: '123' },
      ConsentCreator: {
        MerchID: 1,
        CustomerRefID: 'C-1',
        ServiceDescrip: 'Membership',
        NumPayments: 3,
        TotalAmount: 100,
        Period: 'MONTHLY',
      },
      AcctHolder: { Firstname: 'Ann', Lastname: 'Example', BillIngAdress: { ZIP: '62701' } },
      EndCustomer: { Firstname: 'Ann', Lastname: 'Example' },
    },
    result: {
      ConsentID: 22,
      CreationSuccess: true,
      PreConsentAuthMessage: 'APPROVED QKZVHT',
      PreConsentAuthSuccess: true,
      PreConsentAuthTxID: 58,
      MySched: [
        planned([10, 1], 33.33, '2027-01-31', 66.67),
        planned([11, 2], 33.33, '2027-02-28', 33.34),
        planned([12, 3], 33.34, '2027-03-31', 0),
      ],
    },
    message: 'Success : Created Recurring Consent ID : 000022',
  },
  fromWire: ({ ccCardInfo, ConsentCreator: creator, ...parties }) => {
    const card = cardFromWire(ccCardInfo)
    if (!card.ok) return card
    const startsOn = creator.StartDate ? readCalendarDate(creator.StartDate, names.startsOn) : ok(null)
    if (!startsOn.ok) return startsOn
    const period = periodFrom(creator.Period)
    if (!period) return outOfRange(`ConsentCreator.Period is none of ${periodNames}`)
    if (creator.TotalAmount === 0) return outOfRange('ConsentCreator.TotalAmount must be more than 0')
    return ok<RecurringWish>({
      card: card.value,
      merchant: merchantNumber(creator.MerchID),
      startsOn: startsOn.value,
      payments: creator.NumPayments > 0 ? creator.NumPayments : null,
      total: { amount: exact(creator.TotalAmount), member: 'ConsentCreator.TotalAmount' },
      period,
      details: detailsFrom(creator, parties),
      names,
    })
  },
  toWire: ({ schedule, ...created }: CreatedPlan) => {
    const { members, ...told } = createdToWire('Recurring', created)
    return { ...told, members: { ...members, MySched: schedule.map(plannedToWire) } }
  },
  refusedToWire: (attempt: Attempt | null) => ({ ...notCreatedToWire(attempt), MySched: [] }),
})

function plannedToWire(payment: WrittenPayment): WireOf<typeof PlannedItem> {
  const { instalmentId, paymentNumber, amount, dueOn, remaining } = payment
  return {
    SchedID: Number(instalmentId),
    paymentNo: paymentNumber,
    paymentAmt: moneyToWire(amount),
    paymentDate: printCalendarDate(dueOn),
    Remaining: remaining === null ? -1 : moneyToWire(remaining),
  }
}

function planned(
  [SchedID, paymentNo]: readonly [number, number],
  paymentAmt: number,
  day: string,
  Remaining: number,
): WireOf<typeof PlannedItem> {
  return { SchedID, paymentNo, paymentAmt, paymentDate: `${day}T00:00:00.000Z`, Remaining }
}
