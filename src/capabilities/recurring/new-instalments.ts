import { type PlannedPayment, paymentsAfter, plannedPayments } from '#capabilities/recurring/payment-plan.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import type { Plan, PlanEvent } from '#capabilities/recurring/plan.ts'
import { dueDay } from '#capabilities/recurring/period.ts'
import type { InstalmentId } from '#capabilities/recurring/instalment.ts'
import { scheduleEvent } from '#capabilities/recurring/schedule-event.ts'
import { scheduleFor, type Scheduling } from '#capabilities/recurring/scheduling.ts'

export type NewInstalment = Omit<PlannedPayment, 'remaining'> &
  Scheduling & {
    readonly plan: Omit<Plan, 'state'>
    readonly because: string
    // Of the charge that made the plan, whose first payment it was; null: it is still to be paid.
    readonly paidBy: AcquirerRef | null
  }

// All instalments of a new plan; of a subscription, the first ones.
export function firstInstalments(
  plan: Plan,
  at: Temporal.Instant,
  charge: Attempt | null = null,
): readonly NewInstalment[] {
  const [first, ...rest] = plannedPayments(plan.terms).map((payment) => written(plan, payment, at))
  if (!first || !charge) return first ? [first, ...rest] : []
  const paid = { because: `Approved ${charge.approvalCode}`, paidBy: charge.ref, announceOn: null }
  return [{ ...first, ...paid }, ...rest]
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
  return { plan, paymentNumber, amount, because, paidBy: null, ...scheduleFor(plan.time, { dueOn, at }) }
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

type FirstPayment = {
  readonly plan: Plan
  readonly charge: Attempt
  readonly instalmentId: InstalmentId
}

// What is recorded and announced of the payment by which a plan was made.
export function firstPaid({ plan, charge, instalmentId }: FirstPayment) {
  const { planId, accountId, terms } = plan
  const { ref, attemptId: transaction, resultCode: code, approved, approvalCode } = charge
  const because = `Approved ${approvalCode}`
  const event: PlanEvent = {
    planId,
    accountId,
    instalmentId,
    what: 'paid',
    because,
    attemptRef: ref,
    nextOn: null,
  }
  const facts = { paymentNumber: 1, dueOn: dueDay(terms, 1), amount: approved.total, transaction, code }
  const told = scheduleEvent('schedule.paid', { plan, instalmentId, ...facts, because, nextOn: null })
  return { plan, instalmentId, ref, event, told }
}
