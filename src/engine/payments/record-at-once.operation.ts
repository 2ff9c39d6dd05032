import type { Approved } from '#engine/acquirers/acquirer-answer.ts'
import type { Move, NewAttempt } from '#engine/payments/attempt.ts'
import type { Paid } from '#engine/payments/pay.operation.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { recordAnswers } from '#engine/payments/record-answers.operation.ts'
import { recordAttempts } from '#engine/payments/record-attempts.operation.ts'
import { assert } from '#kernel/assert.ts'
import type { Money } from '#kernel/money.ts'
import type { Tx } from '#platform/postgres/database.ts'

type Known = { readonly attempt: NewAttempt; readonly answer: Approved }

// Money that moves later, by a file, or that a bank has moved already: there is nobody to ask, so T1 and T2
// are one transaction of the caller's, and no crash leaves anything to recover. Attempts that share a subject
// are not for one call.
export async function recordAtOnce(
  tx: Tx,
  needs: Pick<PaymentNeeds, 'followers' | 'clock' | 'accountClock'>,
  known: readonly Known[],
): Promise<readonly Paid[]> {
  const { followers, accountClock } = needs
  const at = needs.clock.now()
  const attempts = known.map(({ attempt }) => attempt)
  const recording = { followers, at, leaseUntil: at, assumesNewKeys: false }
  const verdicts = await recordAttempts(tx, recording, attempts)
  const answered = verdicts.flatMap((verdict, place) => {
    const answer = known[place]?.answer
    return verdict.kind === 'sending' && answer
      ? [{ attempt: verdict.attempt, input: { on: 'answer' as const, answer } }]
      : []
  })
  const moves = await recordAnswers(tx, { followers, accountClock, at }, answered)
  const moved = new Map(
    moves.filter((move): move is Move => move !== null).map((move) => [move.attempt.ref, move]),
  )
  return verdicts.map((verdict): Paid => {
    if (verdict.kind !== 'sending') return verdict
    const move = moved.get(verdict.attempt.ref)
    assert(move, 'an approval moves an attempt that has just begun')
    return { kind: 'recorded', attempt: move.attempt }
  })
}

// An answer that is known without asking; its code is what the attempt is known by.
export function knownAnswer(amount: Money, code: string): Approved {
  return { kind: 'approved', approvalCode: code, amount, checks: { avs: '', cvv: '' }, networkId: '' }
}
