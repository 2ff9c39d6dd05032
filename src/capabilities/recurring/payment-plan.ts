import { dueDay, type Period } from '#capabilities/recurring/period.ts'
import type { Money } from '#kernel/money.ts'

// What was agreed. null payments: a subscription, which goes on until it is cancelled, and whose total is
// what each payment costs.
export type PlanTerms = {
  readonly period: Period
  readonly startsOn: Temporal.PlainDate
  readonly payments: number | null
  readonly total: Money
}

export type PlannedPayment = {
  readonly paymentNumber: number
  readonly dueOn: Temporal.PlainDate
  readonly amount: Money
  // What is left to pay after it; null where there is no end.
  readonly remaining: Money | null
}

// So many payments of a subscription are written ahead.
export const writtenAhead = 12
// A century of months.
export const paymentsMax = 1_200

// The usual payment, split to the smallest unit of the currency.
export function usualPayment({ payments, total }: Pick<PlanTerms, 'payments' | 'total'>): Money {
  return { ...total, minor: payments === null ? total.minor : total.minor / BigInt(payments) }
}

// The largest one, which takes the remainder.
export function lastPayment({ payments, total }: Pick<PlanTerms, 'payments' | 'total'>): Money {
  const usual = usualPayment({ payments, total })
  return payments === null ? usual : { ...total, minor: total.minor - usual.minor * BigInt(payments - 1) }
}

// Every payment that is written when a plan is made.
export function plannedPayments(terms: PlanTerms): readonly PlannedPayment[] {
  const { payments, total } = terms
  const usual = usualPayment(terms)
  return Array.from({ length: payments ?? writtenAhead }, (_, at) => {
    const paymentNumber = at + 1
    const dueOn = dueDay(terms, paymentNumber)
    if (payments === null) return { paymentNumber, dueOn, amount: usual, remaining: null }
    const before = usual.minor * BigInt(at)
    const isLast = paymentNumber === payments
    const amount = isLast ? lastPayment(terms) : usual
    const remaining = { ...total, minor: isLast ? 0n : total.minor - before - usual.minor }
    return { paymentNumber, dueOn, amount, remaining }
  })
}

type Running = Pick<PlanTerms, 'period' | 'startsOn'> & { readonly payment: Money }

// The payments of a subscription that are written once the nth is done with.
export function paymentsAfter(
  plan: Running,
  { done, written }: { readonly done: number; readonly written: number },
): readonly Omit<PlannedPayment, 'remaining'>[] {
  const missing = Math.max(0, done + writtenAhead - written)
  return Array.from({ length: missing }, (_, at) => {
    const paymentNumber = written + 1 + at
    return { paymentNumber, dueOn: dueDay(plan, paymentNumber), amount: plan.payment }
  })
}
