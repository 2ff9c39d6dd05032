import type {
  AcquirerAnswer,
  Approved,
  Declined,
  InquiryAnswer,
  ReversalAnswer,
  Unknown,
} from '#engine/acquirers/acquirer-answer.ts'
import type { AcquirerRef, ReportLine } from '#engine/acquirers/acquirer.ts'
import { currencyCode } from '#kernel/currency.ts'
import type { Money } from '#kernel/money.ts'
import { isReply, type Reply } from '../../../simulator/bank-request.ts'

// From what was heard on a line to what the port answers. Whatever does not fit the question is `garbled`:
// it may belong to somebody else's payment.

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
  const answer = readInquiry(heard, ref)
  if (answer.kind === 'reversed' || answer.kind === 'unknown') return answer
  return garbled
}

function readOutcome(sent: unknown, ref: AcquirerRef): InquiryAnswer {
  if (!isReply(sent) || sent.ref !== ref) return garbled
  const { outcome } = sent
  if (outcome === 'approved') return readApproval(sent)
  if (outcome === 'declined') return readDecline(sent)
  // A reversal that is refused has no word in the port: what stands, stands, and somebody has to look.
  return outcome === 'refused' ? garbled : { kind: outcome }
}

function readApproval({
  currency: code,
  approvedMinor,
  approvalCode,
  networkId,
  avs,
  cvv,
}: Reply): Approved | Unknown {
  const currency = currencyCode(code)
  if (!currency) return garbled
  const amount = { minor: approvedMinor, currency }
  return { kind: 'approved', approvalCode, amount, checks: { avs, cvv }, networkId }
}

function readDecline({ code, avs, cvv }: Reply): Declined | Unknown {
  return code === '' ? garbled : { kind: 'declined', code, checks: { avs, cvv } }
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
  if (!isAcquirerRef(ref) || !isReportedKind(kind)) return []
  const currency = currencyCode(reply.currency)
  const isApproved = reply.outcome === 'approved' && currency !== null
  const approved = isApproved ? { minor: reply.approvedMinor, currency } : null
  return [{ ref, kind, approved, reversed: isReversed, settledIn, at }]
}

function isReportedKind(kind: string): kind is ReportLine['kind'] {
  return kind === 'sale' || kind === 'verification' || kind === 'refund'
}

// Every reference that a bank reports to us was made by us.
function isAcquirerRef(text: string): text is AcquirerRef {
  return text !== ''
}
