import { type PlannedPayment, paymentsAfter, plannedPayments } from '#capabilities/recurring/payment-plan.ts'
import type { Plan, PlanEvent } from '#capabilities/recurring/plan.ts'
import { scheduleFor, type Scheduling } from '#capabilities/recurring/scheduling.ts'

export type NewInstalment = Omit<PlannedPayment, 'remaining'> &
  Scheduling & { readonly plan: Omit<Plan, 'state'>; readonly because: string }

// All instalments of a new plan; of a subscription, the first ones.
export function firstInstalments(plan: Plan, at: Temporal.Instant): readonly NewInstalment[] {
  return plannedPayments(plan.terms).map((payment) => written(plan, payment, at))
}

// What a subscription has to write once one of its instalments is done with.
export function nextInstalments(
  plan: Plan,
  progress: { readonly done: number; readonly written: number },
  at: Temporal.Instant,
): readonly NewInstalment[] {
  if (plan.terms.payments !== null || plan.state !== 'active') return []
  const { period, startsOn } = plan.terms
  const payments = paymentsAfter({ period, startsOn, payment: plan.payment }, progress)
  return payments.map((payment) => written(plan, payment, at))
}

function written(
  plan: Plan,
  { paymentNumber, dueOn, amount }: Omit<PlannedPayment, 'remaining'>,
  at: Temporal.Instant,
): NewInstalment {
  const because = `Scheduled for ${dueOn.toString()}`
  return { plan, paymentNumber, amount, because, ...scheduleFor(plan.time, { dueOn, at }) }
}

export function createdEvent({ planId, accountId, terms }: Plan): PlanEvent {
  const { payments, period, startsOn } = terms
  const because =
    payments === null
      ? `A subscription, ${period} from ${startsOn.toString()} until it is cancelled`
      : `${payments} payments, ${period} from ${startsOn.toString()}`
  const nothing = { instalmentId: null, attemptRef: null }
  return { planId, accountId, ...nothing, what: 'created', because, nextOn: startsOn }
}
