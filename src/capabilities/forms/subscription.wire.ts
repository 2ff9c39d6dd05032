import { Type } from 'typebox'
import { asksForPlan } from '#capabilities/forms/form-options.ts'
import type { FormWish } from '#capabilities/forms/init-form.operation.ts'
import { paymentsMax } from '#capabilities/recurring/payment-plan.ts'
import { periodFrom, periodNames } from '#capabilities/recurring/period.ts'
import { PeriodRequest } from '#capabilities/recurring/scheduled-payment.wire.ts'
import { exact } from '#capabilities/wire/amounts.wire.ts'
import type { RequestFault } from '#capabilities/wire/error-codes.ts'
import {
  outOfRange,
  readCalendarDate,
  WireAmount,
  WireMoment,
  type WireOf,
  WireReference,
} from '#capabilities/wire/scalars.wire.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

// As the ConsentCreator of a recurring consent; what it shares with the form is said there once.
export const SubscriptionRequest = Type.Object(
  {
    StartDate: Type.Optional(
      WireMoment(
        'The first payment, from tomorrow on. Today or nothing: it is charged when the payer agrees, and ' +
          'the others follow from that day.',
      ),
    ),
    NumPayments: Type.Integer({
      minimum: -1,
      maximum: paymentsMax,
      description: 'How many payments; 0 or -1 for a subscription without end.',
    }),
    TotalAmount: WireAmount('All payments together; of a subscription without end, each one.'),
    Period: PeriodRequest,
    ServiceDescrip: Type.Optional(WireReference(200, 'What is paid for; the payer reads it.')),
  },
  { title: 'FormSubscription' },
)

export const subscriptionName = 'InitParams.Subscription'
const featuresName = 'InitParams.WidOptions.eFeatures'

// Neither without the other.
export function subscriptionFrom(
  asked: WireOf<typeof SubscriptionRequest> | undefined,
  features: number,
): Result<FormWish['plan'], RequestFault> {
  if (!asked && !asksForPlan(features)) return ok(null)
  if (!asked) {
    const problem = `${subscriptionName} is missing, and ${featuresName} asks for a subscription (bit 0)`
    return refuse('missing_member', { problem })
  }
  if (!asksForPlan(features))
    return outOfRange(`${subscriptionName} is taken only where ${featuresName} has bit 0 (0001)`)
  const names = { startsOn: `${subscriptionName}.StartDate` }
  const startsOn = asked.StartDate ? readCalendarDate(asked.StartDate, names.startsOn) : ok(null)
  if (!startsOn.ok) return startsOn
  const period = periodFrom(asked.Period)
  if (!period) return outOfRange(`${subscriptionName}.Period is none of ${periodNames}`)
  const member = `${subscriptionName}.TotalAmount`
  if (asked.TotalAmount === 0) return outOfRange(`${member} must be more than 0`)
  return ok({
    startsOn: startsOn.value,
    payments: asked.NumPayments > 0 ? asked.NumPayments : null,
    total: { amount: exact(asked.TotalAmount), member },
    period,
    names,
    service: asked.ServiceDescrip ?? '',
  })
}
