import { Complaint } from '#apps/complaint.ts'
import type { Command, Invocation, Report } from '#apps/cli/command.ts'
import { consentId } from '#capabilities/consents/consent.ts'
import { showPlan, type ShownPlan } from '#capabilities/recurring/show-plan.operation.ts'
import type { Instalment } from '#capabilities/recurring/instalment.ts'
import { printMoment } from '#kernel/calendar.ts'
import { printMoney, printWithCurrency } from '#kernel/money.ts'

export const planCommands: Readonly<Record<string, Command>> = {
  show: {
    usage: 'tillgate plan show CONSENT [--history]',
    summary: 'Show the payments of a plan and what comes next and why; with --history, what happened',
    subject: 'consent',
    texts: {},
    flags: ['history'],
    run: show,
  },
}

async function show({ context, options, subject }: Invocation): Promise<Report> {
  if (!/^[1-9]\d{0,14}$/.test(subject)) throw new Complaint(`${subject} is no number of a consent.`)
  const shown = await showPlan(context, consentId(BigInt(subject)))
  if (!shown) throw new Complaint(`The consent ${subject} has no plan.`)
  return options.flag('history') ? historyOf(shown) : paymentsOf(shown)
}

function paymentsOf(shown: ShownPlan): Report {
  const { plan, instalments, next } = shown
  const rows = instalments.map((one) => ({
    schedule: String(one.instalmentId),
    payment: one.paymentNumber,
    state: one.state,
    due: one.dueOn.toString(),
    next: one.state === 'scheduled' ? one.attemptOn.toString() : '',
    amount: printMoney(one.amount),
    tries: one.tries,
    transaction: one.attemptId === null ? '' : String(one.attemptId),
    because: one.because,
  }))
  const upcoming = next ? upcomingOf(shown, next) : 'Nothing comes next.'
  const ended = plan.state === 'cancelled' ? ` The plan is cancelled: ${plan.because}.` : ''
  return { rows, note: `${upcoming}${ended}` }
}

function upcomingOf({ plan, overdueDays, isCollected }: ShownPlan, next: Instalment): string {
  const overdue = overdueDays === 0 ? '' : `, overdue by ${overdueDays} day${overdueDays === 1 ? '' : 's'}`
  const what = `payment ${next.paymentNumber} of ${printWithCurrency(next.amount)}`
  const told = `Next: ${what} on ${next.attemptOn.toString()}${overdue}. ${next.because}.`
  if (isCollected) return told
  const record = `Merchant record ${plan.merchantNumber} does not collect by itself (tillgate merchant set)`
  return `${told} ${record}: it waits for RecurringSchedule/ProcessScheduledPayments.`
}

function historyOf({ history }: ShownPlan): Report {
  return {
    rows: history.map((one) => ({
      at: printMoment(one.at),
      schedule: one.instalmentId === null ? '' : String(one.instalmentId),
      what: one.what,
      next: one.nextOn?.toString() ?? '',
      reference: one.attemptRef ?? '',
      because: one.because,
    })),
  }
}
