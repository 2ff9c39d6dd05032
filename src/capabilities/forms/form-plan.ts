import type { AgreedPlan } from '#capabilities/payer-words/plan-words.ts'
import { lastPayment, type PlanTerms, usualPayment } from '#capabilities/recurring/payment-plan.ts'
import { dueDay } from '#capabilities/recurring/period.ts'
import { isSameMoney, type Money } from '#kernel/money.ts'

// The payment plan that the payer of a form agrees to.
export type FormPlan = Omit<PlanTerms, 'startsOn'> & {
  // null: on the day on which the payer agrees, and its first payment is charged there and then.
  readonly startsOn: Temporal.PlainDate | null
  readonly service: string
}

export function paysAtOnce({ startsOn }: Pick<FormPlan, 'startsOn'>): boolean {
  return startsOn === null
}

export function termsOfPlan(
  { period, startsOn, payments, total }: FormPlan,
  today: Temporal.PlainDate,
): PlanTerms {
  return { period, startsOn: startsOn ?? today, payments, total }
}

// What the first payment costs.
export function firstPaymentOf(plan: Pick<FormPlan, 'payments' | 'total'>): Money {
  return plan.payments === 1 ? plan.total : usualPayment(plan)
}

// As it is shown to the payer, who agrees to it on this day.
export function agreedPlan(plan: FormPlan, today: Temporal.PlainDate): AgreedPlan {
  const terms = termsOfPlan(plan, today)
  const { period, payments, total } = terms
  const [payment, last] = [firstPaymentOf(terms), lastPayment(terms)]
  const isDone = paysAtOnce(plan) && payments === 1
  return {
    period,
    payments,
    payment,
    last: isSameMoney(payment, last) ? null : last,
    total,
    isPaidNow: paysAtOnce(plan),
    firstOn: dueDay(terms, 1),
    lastOn: payments === null ? null : dueDay(terms, payments),
    nextOn: isDone ? null : dueDay(terms, paysAtOnce(plan) ? 2 : 1),
    service: plan.service,
  }
}
