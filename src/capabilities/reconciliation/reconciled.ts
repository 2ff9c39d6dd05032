import { causesOfDebit, type ReconciledDebit } from '#capabilities/reconciliation/reconciled-debit.ts'
import { printSum } from '#capabilities/reconciliation/print-sum.ts'
import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import {
  type AttemptState,
  earningKinds,
  hasApproval,
  hasNoEffect,
  isFinal,
} from '#engine/payments/attempt.ts'
import type { AccountId } from '#kernel/ids.ts'

// One attempt as its memories tell it: itself with the payment that it is, its bank debit, the attempts about
// it, the ledger, its dispute and the bank's report.
export type ReconciledLine = {
  readonly transaction: bigint
  readonly accountId: AccountId
  readonly accountCode: string
  readonly merchantNumber: number
  readonly kind: string
  readonly state: AttemptState
  readonly ref: AcquirerRef
  readonly clientRef: string
  readonly currency: string
  readonly approvedMinor: bigint
  readonly approvedFeeMinor: bigint
  readonly payment: ReconciledPayment | null
  readonly debit: ReconciledDebit | null
  // International: its money moves by the bank's own cut-off, not by a batch.
  readonly order: { readonly awaitsBank: boolean } | null
  // Approved voids, credits and returns of it.
  readonly after: {
    readonly creditedMinor: bigint
    readonly voids: number
    readonly returnCode: string | null
  }
  readonly postedMinor: bigint
  readonly postedFeeMinor: bigint
  // Postings under its id with another account, merchant record or currency.
  readonly strayPostings: number
  readonly dispute: ReconciledDispute | null
  readonly postedDispute: Record<'opened' | 'won' | 'lost', bigint>
  readonly batch: { readonly number: number; readonly state: string; readonly ref: string } | null
  // null: its report does not have it. silent: it could not be asked either.
  readonly bank: ReconciledBank | 'silent' | null
  readonly createdAt: Temporal.Instant
  // May be days later, where its outcome was not known.
  readonly approvedAt: Temporal.Instant
}

export type ReconciledPayment = { readonly status: string; readonly creditedMinor: bigint }

type ReconciledDispute = { readonly state: string; readonly minor: bigint; readonly currency: string }

type ReconciledBank = {
  readonly approvedMinor: bigint
  readonly isReversed: boolean
  // Our reference of the batch it is settled in there; empty for none, null when that is not known.
  readonly settledIn: string | null
  readonly times: number
}

// A disagreement with its cause, for people.
export type Break = { readonly subject: string; readonly ref: string; readonly cause: string }

const earning: ReadonlySet<string> = new Set(earningKinds)

// By then every record has closed its day, whether by itself or by hand.
const unsettledDaysMax = 7

// What does not agree about one attempt, pure. `now` is what the clock of its account shows.
export function breaksOf(line: ReconciledLine, now: Temporal.Instant): readonly Break[] {
  const subject = `transaction ${line.transaction}`
  return [
    ...ownerCauses(line),
    ...openCauses(line),
    ...paymentCauses(line),
    ...debitCauses(line),
    ...ledgerCauses(line),
    ...disputeCauses(line),
    ...batchCauses(line),
    ...forgottenCauses(line, now),
    ...bankCauses(line),
  ].map((cause) => ({ subject, ref: line.ref, cause }))
}

function ownerCauses({ accountCode }: ReconciledLine): readonly string[] {
  return accountCode === '' ? ['its account does not exist'] : []
}

function openCauses({ state }: ReconciledLine): readonly string[] {
  if (isFinal(state)) return []
  return [`its outcome is not known yet (${state})`]
}

function paymentCauses(line: ReconciledLine): readonly string[] {
  const { kind, payment } = line
  const canBePayment = kind === 'sale' || kind === 'credit'
  if (payment && !canBePayment) return [`it is marked as a payment, and it is a ${kind.replaceAll('_', ' ')}`]
  if (payment) return statusCauses(line, payment)
  return hasApproval(line.state) && canBePayment ? ['it is approved and has no payment'] : []
}

function statusCauses(line: ReconciledLine, payment: ReconciledPayment): readonly string[] {
  const { state, after } = line
  const { status, creditedMinor } = payment
  if (hasNoEffect(state)) return status === 'failed' ? [] : [`its payment is ${status}, and it is ${state}`]
  if (!hasApproval(state)) return []
  const sum = (minor: bigint) => printSum(line, minor)
  const causes: string[] = []
  if (status === 'failed') causes.push('its payment is marked as failed, and it is approved')
  if (status === 'void' && after.voids === 0) causes.push('it is voided, and no void of it is approved')
  if (status !== 'void' && after.voids > 0)
    causes.push(`a void of it is approved, and its payment is ${status}`)
  if (creditedMinor !== after.creditedMinor)
    causes.push(
      `its payment says ${sum(creditedMinor)} were credited, credits are ${sum(after.creditedMinor)}`,
    )
  return causes
}

function debitCauses(line: ReconciledLine): readonly string[] {
  const isDebit = line.kind === 'bank_debit' || line.kind === 'bank_credit'
  if (!isDebit || !hasApproval(line.state)) return []
  return line.debit ? causesOfDebit({ ...line, debit: line.debit }) : ['it is recorded and has no bank debit']
}

function ledgerCauses(line: ReconciledLine): readonly string[] {
  const sign = earning.has(line.kind) ? 1n : -1n
  const counts = hasApproval(line.state) && line.kind !== 'verify'
  const total = counts ? sign * line.approvedMinor : 0n
  const fee = counts ? sign * line.approvedFeeMinor : 0n
  const causes: string[] = []
  if (line.postedMinor !== total)
    causes.push(`the ledger has ${printSum(line, line.postedMinor)}, not ${printSum(line, total)}`)
  if (line.postedFeeMinor !== fee)
    causes.push(`the ledger has fee ${printSum(line, line.postedFeeMinor)}, not ${printSum(line, fee)}`)
  if (line.strayPostings > 0)
    causes.push(`${line.strayPostings} of its postings have another account, merchant record or currency`)
  return causes
}

function disputeCauses(line: ReconciledLine): readonly string[] {
  const { dispute, postedDispute, currency, approvedMinor } = line
  const minor = dispute?.minor ?? 0n
  const causes = dispute && dispute.state !== 'won' ? givenBackCauses(line, dispute) : []
  if (dispute && (minor > approvedMinor || dispute.currency !== currency))
    causes.push(
      `its dispute is about ${printSum(dispute, minor)}, approved were ${printSum(line, approvedMinor)}`,
    )
  const expected = {
    opened: minor,
    won: dispute?.state === 'won' ? minor : 0n,
    lost: dispute?.state === 'lost' ? minor : 0n,
  }
  const state = dispute ? `is ${dispute.state}` : 'does not exist'
  for (const step of ['opened', 'won', 'lost'] as const) {
    const [posted, right] = [postedDispute[step], expected[step]]
    if (posted !== right)
      causes.push(
        `its dispute ${state}, and the ledger has ${printSum(line, posted)} ${step}, not ${printSum(line, right)}`,
      )
  }
  return causes
}

// Given back by us and taken back by the payer's bank: a dispute that was won has taken nothing.
function givenBackCauses(line: ReconciledLine, { state, minor }: ReconciledDispute): string[] {
  const { payment, approvedMinor } = line
  const creditedMinor = payment?.creditedMinor ?? 0n
  if (payment?.status === 'void') return [`it is voided, and its dispute is ${state}`]
  if (creditedMinor === 0n || creditedMinor + minor <= approvedMinor) return []
  const [credited, disputed] = [printSum(line, creditedMinor), printSum(line, minor)]
  return [
    `${credited} of it are credited and ${disputed} disputed, approved were ${printSum(line, approvedMinor)}`,
  ]
}

function batchCauses({ batch, payment, bank }: ReconciledLine): readonly string[] {
  const causes: string[] = []
  if (batch && payment?.status !== 'open')
    causes.push(`it is in batch ${batch.number}, and it is ${payment ? payment.status : 'no payment'}`)
  const settledIn = batch?.state === 'accepted' ? batch.ref : ''
  const atBank = (bank === 'silent' ? null : bank?.settledIn) ?? settledIn
  if (atBank === settledIn) return causes
  const here = settledIn === '' ? 'in none' : `in batch ${batch?.number}`
  const there = atBank === '' ? 'in none' : `in the batch with reference ${atBank}`
  return [...causes, `it is settled ${there} at the bank, and ${here} with us`]
}

// Money that was promised and that nobody has asked for.
function forgottenCauses(line: ReconciledLine, now: Temporal.Instant): readonly string[] {
  const { approvedAt } = line
  const isForgotten = now.since(approvedAt).total('hours') > 24 * unsettledDaysMax
  return hasApproval(line.state) && isUnsettled(line) && isForgotten
    ? [`it is approved since ${approvedAt.toString().slice(0, 10)}, and was never settled`]
    : []
}

function isUnsettled({ batch, payment, debit, order, approvedMinor }: ReconciledLine): boolean {
  if (debit) return debit.status === 'open' && debit.batch === null
  if (order) return order.awaitsBank
  return payment?.status === 'open' && approvedMinor > 0n && batch === null
}

// A void has no line of its own at the bank: it shows on its sale. What a file carries the acquirer of cards
// never sees.
function bankCauses(line: ReconciledLine): readonly string[] {
  const { kind, bank, payment, state, approvedMinor } = line
  if (kind === 'void' || kind === 'verify' || kind.startsWith('bank_')) return []
  if (bank === 'silent') return ['its report leaves it out, and the bank could not be asked']
  const twice = bank && bank.times > 1 ? [`the bank reports it ${bank.times} times`] : []
  const held = bank && !bank.isReversed ? bank.approvedMinor : 0n
  const sum = printSum(line, held)
  if (!hasApproval(state))
    return held > 0n && hasNoEffect(state)
      ? [...twice, `the bank holds ${sum}, with us it is ${state}`]
      : twice
  if (payment?.status === 'void')
    return held > 0n ? [...twice, `it is voided, and the bank holds ${sum}`] : twice
  if (!bank) return ['the bank does not know it']
  if (bank.isReversed) return [...twice, 'it is approved, and the bank has reversed it']
  const isSame = held === approvedMinor
  return isSame ? twice : [...twice, `the bank has ${sum}, approved were ${printSum(line, approvedMinor)}`]
}
