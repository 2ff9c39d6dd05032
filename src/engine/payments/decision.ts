import type { AcquirerAnswer } from '#engine/acquirers/acquirer-answer.ts'
import type { Attempt } from '#engine/payments/attempt.ts'

// What an operator has found out about an attempt that nothing else could end.
export type Decision = {
  readonly outcome: 'approved' | 'declined' | 'reversed'
  readonly reason: string
  readonly operator: string
}

export const decidedOutcomes: readonly Decision['outcome'][] = ['approved', 'declined', 'reversed']

// Do not honour: the bank's reason is not known here.
const anyDecline = '05'

// The answer that the bank owed us, as the operator tells it: approved in full, or not at all.
export function answerOfDecision(attempt: Attempt, { outcome }: Decision): AcquirerAnswer | null {
  const { amounts, avs, cvv, networkId, resultCode } = attempt
  const checks = { avs, cvv }
  switch (outcome) {
    case 'approved':
      return { kind: 'approved', approvalCode: '', amount: amounts.total, checks, networkId }
    case 'declined':
      return { kind: 'declined', code: resultCode || anyDecline, checks }
    case 'reversed':
      return null
  }
}
