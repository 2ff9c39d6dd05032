import { Type } from 'typebox'
import { type Instalment, instalmentId } from '#capabilities/recurring/instalment.ts'
import type { ScheduleChange } from '#capabilities/recurring/modify-scheduled-payment.operation.ts'
import {
  exampleSchedule,
  ScheduledPaymentResult,
  ScheduleNumber,
  scheduledPaymentToWire,
} from '#capabilities/recurring/scheduled-payment.wire.ts'
import { exact, moneyText } from '#capabilities/wire/amounts.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import {
  dateText,
  outOfRange,
  readCalendarDate,
  WireAmount,
  WireMoment,
} from '#capabilities/wire/scalars.wire.ts'
import { ok, refuse } from '#kernel/result.ts'

const names: ScheduleChange['names'] = { amount: 'PaymentAmount', dueOn: 'DueDate' }

export const modifyScheduledPaymentContract = defineContract({
  path: 'RecurringSchedule/Modify',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'RecurringSchedule_ModifyResult',
  access: 'session',
  load: 'change',
  currencyOf: { kind: 'schedules', path: 'SchedID' },
  takesKey: false,
  isBeyondSpecification: false,
  title: 'Modify a schedule',
  description:
    'Gives one scheduled payment a new amount, a new day, or both. One that has failed because its retries ' +
    'are used up is scheduled again by it: on the new day; where none is given, on the day on which it is ' +
    'due if that is still to come, or else today.',
  request: Type.Object({
    SchedID: ScheduleNumber,
    PaymentAmount: Type.Optional(WireAmount('The new amount, above 0.')),
    DueDate: Type.Optional(WireMoment('The new day, not in the past.')),
  }),
  result: ScheduledPaymentResult,
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'schedule_not_found',
    'schedule_not_open',
    'value_out_of_range',
  ],
  example: {
    request: { SchedID: 10, PaymentAmount: 10, DueDate: '2098-07-10T00:00:00.000Z' },
    result: { ScheduledPayment: { ...exampleSchedule, DueOn: '2098-07-10T00:00:00.000Z' } },
    message: 'Successful Reschedule of SchedID 10 For $10.00 On 7/10/2098',
  },
  fromWire: ({ SchedID, PaymentAmount, DueDate }) => {
    if (PaymentAmount === 0) return outOfRange('PaymentAmount must be more than 0')
    if (PaymentAmount === undefined && !DueDate)
      return refuse('missing_member', { problem: 'PaymentAmount or DueDate is missing' })
    const dueOn = DueDate ? readCalendarDate(DueDate, names.dueOn) : ok(null)
    if (!dueOn.ok) return dueOn
    return ok<ScheduleChange>({
      instalmentId: instalmentId(BigInt(SchedID)),
      amount: PaymentAmount === undefined ? null : { amount: exact(PaymentAmount), member: names.amount },
      dueOn: dueOn.value,
      names,
    })
  },
  toWire: (moved: Instalment) => {
    const { instalmentId: id, amount, dueOn } = moved
    return {
      message: `Successful Reschedule of SchedID ${id} For ${moneyText(amount)} On ${dateText(dueOn)}`,
      members: { ScheduledPayment: scheduledPaymentToWire(moved) },
    }
  },
  refusedToWire: () => ({ ScheduledPayment: null }),
})
