import { Type } from 'typebox'
import type { ScheduleCancellation } from '#capabilities/recurring/cancel-scheduled-payment.operation.ts'
import { type Instalment, instalmentId } from '#capabilities/recurring/instalment.ts'
import {
  exampleSchedule,
  ScheduledPaymentResult,
  ScheduleNumber,
  scheduledPaymentToWire,
} from '#capabilities/recurring/scheduled-payment.wire.ts'
import { moneyText } from '#capabilities/wire/amounts.wire.ts'
import { defineContract } from '#capabilities/wire/contract.ts'
import { dateText } from '#capabilities/wire/scalars.wire.ts'
import { ok } from '#kernel/result.ts'

export const cancelScheduledPaymentContract = defineContract({
  path: 'RecurringSchedule/Cancel',
  prefix: '/APIcardProcREST/v1.0.0/',
  resultKey: 'RecurringSchedule_CancelResult',
  access: 'session',
  load: 'change',
  takesKey: false,
  isBeyondSpecification: false,
  title: 'Cancel a schedule',
  description:
    'Cancels one scheduled payment of a plan, or one that has failed. The others stay. One that is being ' +
    'charged, or whose outcome is not known yet, has to be waited for.',
  request: Type.Object({ SchedID: ScheduleNumber }),
  result: ScheduledPaymentResult,
  refusals: [
    'session_invalid',
    'session_elsewhere',
    'rate_limited',
    'schedule_not_found',
    'schedule_not_open',
  ],
  example: {
    request: { SchedID: 10 },
    result: { ScheduledPayment: { ...exampleSchedule, RStatus: 'C' } },
    message: 'Successful Cancel of SchedID 10 For $10.00 On 6/23/2027',
  },
  fromWire: ({ SchedID }) => ok<ScheduleCancellation>({ instalmentId: instalmentId(BigInt(SchedID)) }),
  toWire: (cancelled: Instalment) => {
    const { instalmentId: id, amount, dueOn } = cancelled
    return {
      message: `Successful Cancel of SchedID ${id} For ${moneyText(amount)} On ${dateText(dueOn)}`,
      members: { ScheduledPayment: scheduledPaymentToWire(cancelled) },
    }
  },
  refusedToWire: () => ({ ScheduledPayment: null }),
})
