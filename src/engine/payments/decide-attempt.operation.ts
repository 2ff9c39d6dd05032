import type { Attempt, AttemptId } from '#engine/payments/attempt.ts'
import { insertLateNote } from '#engine/payments/attempt-history.store.ts'
import { findAttemptById } from '#engine/payments/attempt.store.ts'
import type { Decision } from '#engine/payments/decision.ts'
import { hasLateManual, removeManual } from '#engine/payments/manual.store.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { FenceLost } from '#engine/payments/record-answers.operation.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

export type DecisionRefusal = 'attempt_not_found' | 'not_manual' | 'reason_missing' | 'decision_impossible'

type Needs = Pick<PaymentNeeds, 'db' | 'clock' | 'answers'>
type Decided = Result<Attempt, DecisionRefusal>

// An operator ends what nothing else could end: the same T2 as for an answer of the bank, with the reason and
// the operator's name in the history.
export async function decideAttempt(needs: Needs, id: AttemptId, decision: Decision): Promise<Decided> {
  if (decision.reason.trim() === '') return refuse('reason_missing')
  const attempt = await findAttemptById(needs.db, id)
  if (!attempt) return refuse('attempt_not_found')
  if (attempt.state === 'manual') return decideManual(needs, attempt, decision)
  if (await hasLateManual(needs.db, id)) return decideLate(needs, attempt, decision)
  return refuse('not_manual', { state: attempt.state })
}

async function decideManual(needs: Needs, attempt: Attempt, decision: Decision): Promise<Decided> {
  try {
    const move = await needs.answers.add({ attempt, input: { on: 'decided', decision } })
    return move ? ok(move.attempt) : refuse('decision_impossible', { kind: attempt.kind })
  } catch (error) {
    if (error instanceof FenceLost) return refuse('not_manual', { state: 'decided' })
    throw error
  }
}

// Closed with us long ago: all that is left to say is that the bank holds nothing any more.
async function decideLate(needs: Needs, attempt: Attempt, decision: Decision): Promise<Decided> {
  const { attemptId, state, fence } = attempt
  if (decision.outcome !== 'reversed') return refuse('decision_impossible', { kind: attempt.kind })
  const at = needs.clock.now()
  return needs.db.inTransaction(async (tx): Promise<Decided> => {
    if ((await removeManual(tx, [attemptId])) === 0) return refuse('not_manual', { state })
    await insertLateNote(tx, { attemptId, state, fence, cause: 'operator', at, decision })
    return ok(attempt)
  })
}
