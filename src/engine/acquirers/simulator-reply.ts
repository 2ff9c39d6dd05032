import type {
  AcquirerAnswer,
  Approved,
  Declined,
  InquiryAnswer,
  ReversalAnswer,
  ReversalRefused,
  Unknown,
} from '#engine/acquirers/acquirer-answer.ts'
import type { AcquirerRef, DisputeLine, ReportLine } from '#engine/acquirers/acquirer.ts'
import { currencyCode } from '#kernel/currency.ts'
import type { Money } from '#kernel/money.ts'
import { isReply, type Reply, type ToldReply } from '../../../simulator/bank-request.ts'
import type { Dispute } from '../../../simulator/dispute.ts'

// From what the simulated bank said on its line to what the port answers. Whatever does not fit the question
// is `garbled`: it may belong to somebody else's payment.

// What a line can bring: a reply of whatever shape, or a reason why there is none.
export type Heard =
  | { readonly kind: 'reply'; readonly reply: unknown }
  | { readonly kind: 'not_sent' }
  | Unknown

type Question = { readonly ref: AcquirerRef; readonly amount: Money }

const garbled: Unknown = { kind: 'unknown', because: 'garbled' }

export function readAuthorization(heard: Heard, asked: Question): AcquirerAnswer {
  if (heard.kind !== 'reply') return heard
  const outcome = readOutcome(heard.reply, asked.ref)
  if (outcome.kind !== 'approved') return outcome.kind === 'declined' ? outcome : garbled
  const { amount } = outcome
  const fits = amount.currency === asked.amount.currency && amount.minor <= asked.amount.minor
  return fits ? outcome : garbled
}

// A batch is accepted as a whole or not at all.
export function readSettlement(heard: Heard, asked: Question): AcquirerAnswer {
  const answer = readAuthorization(heard, asked)
  return answer.kind === 'approved' && answer.amount.minor !== asked.amount.minor ? garbled : answer
}

export function readInquiry(heard: Heard, ref: AcquirerRef): InquiryAnswer {
  if (heard.kind === 'not_sent') return { kind: 'unknown', because: 'link_down' }
  return heard.kind === 'reply' ? readOutcome(heard.reply, ref) : heard
}

export function readReversal(heard: Heard, ref: AcquirerRef): ReversalAnswer {
  const refusal = refusalIn(heard, ref)
  if (refusal) return refusal
  const answer = readInquiry(heard, ref)
  if (answer.kind === 'reversed' || answer.kind === 'unknown') return answer
  return garbled
}

function refusalIn(heard: Heard, ref: AcquirerRef): ReversalRefused | null {
  if (heard.kind !== 'reply' || !isReply(heard.reply) || heard.reply.ref !== ref) return null
  const { outcome, code } = heard.reply
  return outcome === 'refused' && code !== '' ? { kind: 'refused', code } : null
}

function readOutcome(sent: unknown, ref: AcquirerRef): InquiryAnswer {
  if (!isReply(sent) || sent.ref !== ref) return garbled
  const { outcome } = sent
  if (outcome === 'approved') return readApproval(sent)
  if (outcome === 'declined') return readDecline(sent)
  // Only reversals are refused.
  return outcome === 'refused' ? garbled : { kind: outcome }
}

function readApproval({
  currency: code,
  approvedMinor,
  approvalCode,
  networkId,
  avs,
  cvv,
  reason,
}: ToldReply): Approved | Unknown {
  const currency = currencyCode(code)
  if (!currency) return garbled
  const amount = { minor: approvedMinor, currency }
  return { kind: 'approved', approvalCode, amount, checks: { avs, cvv }, networkId, ...provoked(reason) }
}

function readDecline({ code, avs, cvv, advice, reason }: ToldReply): Declined | Unknown {
  if (code === '') return garbled
  const advised = advice === '' ? {} : { advice }
  return { kind: 'declined', code, checks: { avs, cvv }, ...advised, ...provoked(reason) }
}

function provoked(provokedBy = ''): Pick<Approved, 'provokedBy'> {
  return provokedBy === '' ? {} : { provokedBy }
}

type Reported = {
  readonly ref: string
  readonly kind: string
  readonly reply: Reply
  readonly isReversed: boolean
  readonly batchRef: string
  readonly at: Temporal.Instant
}

export function readReported(reported: Reported): readonly ReportLine[] {
  const { ref, kind, reply, isReversed, batchRef: settledIn, at } = reported
  if (!isNotEmpty(ref) || !isReportedKind(kind)) return []
  const currency = currencyCode(reply.currency)
  const isApproved = reply.outcome === 'approved' && currency !== null
  const approved = isApproved ? { minor: reply.approvedMinor, currency } : null
  return [{ ref, kind, approved, reversed: isReversed, settledIn, at }]
}

export function readDisputed(dispute: Dispute): readonly DisputeLine[] {
  const { ref, reply, at: soldAt, chargebackAt: openedAt, reasonCode, decidedAt, isWon } = dispute
  const currency = currencyCode(reply.currency)
  if (!isNotEmpty(ref) || !currency) return []
  const amount = { minor: reply.approvedMinor, currency }
  return [{ ref, amount, reasonCode, soldAt, openedAt, closed: { at: decidedAt, isWon } }]
}

function isReportedKind(kind: string): kind is ReportLine['kind'] {
  return kind === 'sale' || kind === 'verification' || kind === 'refund'
}

// Every reference that a bank reports to us was made by us, in whatever form.
function isNotEmpty(text: string): text is AcquirerRef {
  return text !== ''
}
