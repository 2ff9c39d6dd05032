import type { BatchState } from '#capabilities/settlement/batch.ts'
import type { AcquirerAnswer, InquiryAnswer } from '#engine/acquirers/acquirer-answer.ts'
import { isSameMoney, type Money } from '#kernel/money.ts'

// The life of a batch, pure: closing, sent, then accepted, rejected or unknown. A rejected one is sent again
// as it is, or released by an operator; an unknown one is asked for. One that is accepted or released is done
// with.

export type Verdict = { readonly state: BatchState; readonly resultCode: string }

// Stands in place of a code when the last sending never left.
export const notSentCode = 'NOT SENT'

const unknown: Verdict = { state: 'unknown', resultCode: '' }

export function verdictOfAnswer(answer: AcquirerAnswer): Verdict {
  switch (answer.kind) {
    case 'approved':
      return { state: 'accepted', resultCode: answer.approvalCode }
    case 'declined':
      return { state: 'rejected', resultCode: answer.code }
    case 'not_sent':
      // Nothing left this machine, so nothing was accepted.
      return { state: 'rejected', resultCode: notSentCode }
    case 'unknown':
      return unknown
  }
}

// null: the acquirer has never seen the batch, so it is sent again, under the same reference.
export function verdictOfInquiry(answer: InquiryAnswer, net: Money): Verdict | null {
  switch (answer.kind) {
    case 'not_found':
      return null
    case 'declined':
      return verdictOfAnswer(answer)
    case 'approved':
      // Another sum belongs to something else.
      return isSameMoney(answer.amount, net) ? verdictOfAnswer(answer) : unknown
    default:
      return unknown
  }
}
