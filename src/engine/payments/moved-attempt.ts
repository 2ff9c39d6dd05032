import type { AcquirerAnswer, Approved } from '#engine/acquirers/acquirer-answer.ts'
import { splitApproval } from '#engine/fees/split-fee.ts'
import { type Attempt, type AttemptState, hasApproval } from '#engine/payments/attempt.ts'
import { meetsChecks } from '#engine/payments/attempt-transitions.ts'

// What the row of an attempt says after a move, pure.
export function movedAttempt(before: Attempt, to: AttemptState, answer: AcquirerAnswer | null): Attempt {
  const after = { ...before, state: to }
  if (answer?.kind !== 'approved' && answer?.kind !== 'declined') return after
  const { provokedBy } = answer
  const provoked = provokedBy === undefined ? after : { ...after, provokedBy }
  if (answer.kind === 'approved') return withApproval(provoked, answer)
  return { ...provoked, resultCode: answer.code, ...answer.checks }
}

function withApproval(after: Attempt, answer: Approved): Attempt {
  const { checks, networkId } = answer
  // Taken back: there is no approval to show.
  if (!hasApproval(after.state))
    return { ...after, ...checks, networkId, resultCode: refusalCode(after, answer) }
  return {
    ...after,
    ...checks,
    networkId,
    approved: splitApproval(after.amounts, answer.amount),
    approvalCode: answer.approvalCode,
    resultCode: answer.approvalCode,
  }
}

// The decline code that stands for the condition which was not met. None when all were: then the approval is
// taken back because nobody heard of it, and that is told as reversed, not as declined.
function refusalCode(after: Attempt, answer: Approved): string {
  const { amounts, conditions } = after
  if (answer.amount.minor < amounts.total.minor && !conditions.acceptsPartial) return '10'
  if (conditions.cvvNeeded && answer.checks.cvv !== 'M') return '82'
  return meetsChecks(after, answer) ? '' : '05'
}
