import type { InstalmentId } from '#capabilities/recurring/instalment.ts'
import type { Plan } from '#capabilities/recurring/plan.ts'
import type { EventType } from '#engine/events/event-registry.ts'
import type { NewEvent } from '#engine/events/event.ts'
import type { AttemptId } from '#engine/payments/attempt.ts'
import { type Money, printMoney } from '#kernel/money.ts'

type ScheduleFacts = {
  readonly plan: Pick<Plan, 'accountId' | 'planId' | 'consentId' | 'merchantNumber'>
  readonly instalmentId: InstalmentId
  readonly paymentNumber: number
  readonly dueOn: Temporal.PlainDate
  readonly amount: Money
  readonly transaction: AttemptId | null
  readonly code: string
  readonly because: string
  readonly nextOn: Temporal.PlainDate | null
}

export function scheduleEvent(
  type: Extract<EventType, `schedule.${string}`>,
  { plan, instalmentId, amount, dueOn, nextOn, transaction, ...facts }: ScheduleFacts,
): NewEvent {
  const body = {
    plan: String(plan.planId),
    consent: String(plan.consentId),
    merchant: String(plan.merchantNumber),
    payment: String(facts.paymentNumber),
    amount: printMoney(amount),
    currency: amount.currency,
    dueOn: dueOn.toString(),
    transaction: transaction === null ? '' : String(transaction),
    code: facts.code,
    because: facts.because,
    nextOn: nextOn?.toString() ?? '',
  }
  return { accountId: plan.accountId, type, objectId: instalmentId, body }
}
