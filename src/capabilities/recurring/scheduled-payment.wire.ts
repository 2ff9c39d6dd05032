import { Type } from 'typebox'
import { type Instalment, type InstalmentState } from '#capabilities/recurring/instalment.ts'
import { moneyToWire } from '#capabilities/wire/amounts.wire.ts'
import { periodNames, periods } from '#capabilities/recurring/period.ts'
import { patternOf, published, WireWord } from '#capabilities/wire/published.wire.ts'
import { orNull, WireId, WireMoment, type WireOf, WireText } from '#capabilities/wire/scalars.wire.ts'
import { printCalendarDate } from '#kernel/calendar.ts'

const PeriodNumber = Type.Integer(published({ minimum: 1, maximum: periods.length }))
const PeriodName = Type.String({ maxLength: 13, ...published({ pattern: patternOf([...periods, '[1-8]']) }) })

// Of what is asked for: of a plan, and of a form that makes one.
export const PeriodRequest = Type.Union([PeriodNumber, PeriodName], {
  description: `${periodNames}; the number or the name.`,
})

// Spec "Scheduled payment record (ScheduledPayment)".
export const ScheduledPayment = Type.Object(
  {
    ID: Type.Integer({ description: 'The scheduled payment; SchedID elsewhere.' }),
    SchedNum: Type.Integer({ description: 'The plan that it belongs to.' }),
    AcctHolderID: Type.Integer({ description: 'The account holder: one for each consent, with its number.' }),
    AcctNo: Type.Integer({ description: 'The last four digits of the card.' }),
    ConsentID: Type.Integer({ description: 'The consent of the plan.' }),
    ConsentType: WireWord(['R', 'S'], 'R recurring, S subscription without end.'),
    MerchID: Type.Integer({ description: 'The merchant record.' }),
    LastName: WireText(100, 'Last name or company of the account holder.'),
    DueOn: WireMoment('The day on which it is due. Retries do not move it.'),
    PaymentAmt: Type.Number({ description: 'What is paid.' }),
    PaymentNum: Type.Integer({ description: 'Its number in the plan, from 1.' }),
    OfTotalPayment: Type.Number({ description: 'All payments of the plan together; -1 without end.' }),
    OfTotalPayments: Type.Integer({ description: 'The number of payments; -1 without end.' }),
    Period: WireWord(periods, 'How often the plan is paid.'),
    RPGUID: WireText(75, 'Reference of your own.'),
    RStatus: WireWord(
      ['S', 'P', 'F', 'C', 'U'],
      'S scheduled, P paid, F failed, C cancelled, U outcome not known yet.',
    ),
    Tries: Type.Integer({ description: 'How often it was sent to the bank; one that is under way counts.' }),
    TxID: Type.Integer({ description: 'The transaction of the latest try; -1 when there is none.' }),
  },
  { title: 'ScheduledPayment' },
)

export const ScheduledPaymentResult = Type.Object({ ScheduledPayment: orNull(ScheduledPayment) })

const letters: Readonly<Record<InstalmentState, string>> = {
  scheduled: 'S',
  charging: 'U',
  paid: 'P',
  failed: 'F',
  cancelled: 'C',
}

// What is shown of an instalment.
export type ShownInstalment = Pick<
  Instalment,
  | 'instalmentId'
  | 'planId'
  | 'consentId'
  | 'merchantNumber'
  | 'paymentNumber'
  | 'state'
  | 'dueOn'
  | 'amount'
  | 'tries'
  | 'attemptId'
  | 'period'
  | 'payments'
  | 'total'
  | 'guid'
  | 'holderLastName'
  | 'lastFour'
>

export function scheduledPaymentToWire(instalment: ShownInstalment): WireOf<typeof ScheduledPayment> {
  const { payments, total } = instalment
  return {
    ID: Number(instalment.instalmentId),
    SchedNum: Number(instalment.planId),
    AcctHolderID: Number(instalment.consentId),
    AcctNo: Number(instalment.lastFour),
    ConsentID: Number(instalment.consentId),
    ConsentType: payments === null ? 'S' : 'R',
    MerchID: instalment.merchantNumber,
    LastName: instalment.holderLastName,
    DueOn: printCalendarDate(instalment.dueOn),
    PaymentAmt: moneyToWire(instalment.amount),
    PaymentNum: instalment.paymentNumber,
    OfTotalPayment: payments === null ? -1 : moneyToWire(total),
    OfTotalPayments: payments ?? -1,
    Period: instalment.period,
    RPGUID: instalment.guid,
    RStatus: letters[instalment.state],
    Tries: instalment.tries,
    TxID: Number(instalment.attemptId ?? -1n),
  }
}

export const ScheduleNumber = WireId('The scheduled payment.')

export const exampleSchedule: WireOf<typeof ScheduledPayment> = {
  ID: 10,
  SchedNum: 3,
  AcctHolderID: 22,
  AcctNo: 1111,
  ConsentID: 22,
  ConsentType: 'R',
  MerchID: 1,
  LastName: 'Example',
  DueOn: '2027-06-23T00:00:00.000Z',
  PaymentAmt: 10,
  PaymentNum: 1,
  OfTotalPayment: 120,
  OfTotalPayments: 12,
  Period: 'WEEKLY',
  RPGUID: '',
  RStatus: 'S',
  Tries: 0,
  TxID: -1,
}
