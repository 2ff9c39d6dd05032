import { Complaint } from '#apps/complaint.ts'
import type { Command, Invocation, Report } from '#apps/cli/command.ts'
import { operatorName } from '#apps/cli/operator.ts'
import { tellUnanswered } from '#apps/tell-unanswered.ts'
import { attemptId } from '#engine/payments/attempt.ts'
import { decideAttempt, type DecisionRefusal } from '#engine/payments/decide-attempt.operation.ts'
import { decidedOutcomes } from '#engine/payments/decision.ts'
import { backlogStandings, listOpenAttempts } from '#engine/payments/watch-backlog.operation.ts'
import { printMoment } from '#kernel/calendar.ts'
import { printMoney } from '#kernel/money.ts'
import type { Details } from '#kernel/result.ts'

export const attemptCommands: Readonly<Record<string, Command>> = {
  list: {
    usage: 'tillgate attempt list [--state STATE]',
    summary: 'List payments whose outcome is open, the oldest first',
    subject: null,
    texts: { state: 20 },
    flags: [],
    run: list,
  },
  decide: {
    usage: `tillgate attempt decide TRANSACTION ${decidedOutcomes.join('|')} --reason TEXT`,
    summary: 'Say what became of a payment that needs an operator',
    subject: 'transaction id',
    second: 'outcome',
    texts: { reason: 500 },
    flags: [],
    run: decide,
  },
}

const shownMax = 200

async function list({ context, options }: Invocation): Promise<Report> {
  const wanted = options.text('state')
  const standing = backlogStandings.find((one) => one === wanted) ?? null
  if (wanted !== undefined && standing === null)
    throw new Complaint(`${wanted} is no state of an open payment: ${backlogStandings.join(', ')}.`)
  const found = await listOpenAttempts(context, { standing, most: shownMax + 1 })
  const rows = found.slice(0, shownMax).map((one) => ({
    transaction: Number(one.attemptId),
    account: one.accountCode,
    merchant: one.merchantNumber,
    kind: one.kind,
    amount: printMoney(one.total),
    currency: one.total.currency,
    state: one.standing,
    since: printMoment(one.since),
    created: printMoment(one.createdAt),
    reference: one.ref,
  }))
  const unanswered = standing === null ? await tellUnanswered(context) : null
  return {
    rows,
    ...(found.length > shownMax ? { unshown: `These are the oldest ${shownMax}; there are more.` } : {}),
    ...(unanswered === null ? {} : { note: `Beside these, ${unanswered}.` }),
  }
}

async function decide({ context, options, subject, second }: Invocation): Promise<Report> {
  if (!/^[1-9]\d{0,14}$/.test(subject))
    throw new Complaint(`${subject} is no transaction id. tillgate attempt list --state manual shows them.`)
  const outcome = decidedOutcomes.find((one) => one === second)
  if (!outcome) throw new Complaint(`${second} is no outcome: ${decidedOutcomes.join(', ')}.`)
  const reason = options.needText('reason')
  const decision = { outcome, reason, operator: operatorName() }
  const decided = await decideAttempt(context, attemptId(BigInt(subject)), decision)
  if (!decided.ok) throw new Complaint(complaints[decided.refusal.kind](subject, decided.refusal.details))
  const { state, kind, amounts } = decided.value
  const amount = printMoney(amounts.total)
  return { rows: [{ transaction: Number(subject), kind, amount, currency: amounts.total.currency, state }] }
}

const complaints: Readonly<Record<DecisionRefusal, (id: string, details: Details) => string>> = {
  attempt_not_found: (id) => `There is no transaction ${id}.`,
  not_manual: (id, { state }) => `Transaction ${id} needs no operator: it is ${state}.`,
  reason_missing: () => '--reason is empty: say how you know.',
  decision_impossible: (id, { kind }) =>
    `Transaction ${id} cannot end that way: a void or verification is done or not, and what the caller ` +
    `was told as declined cannot be approved (this is a ${kind}).`,
}
