import { isKeyTaken } from '#engine/idempotency/claim-keys.operation.ts'
import type { Attempt, Move, NewAttempt } from '#engine/payments/attempt.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { type Answered, recordAnswers } from '#engine/payments/record-answers.operation.ts'
import { recordAttempts, type Verdict } from '#engine/payments/record-attempts.operation.ts'
import type { Turn } from '#platform/postgres/batch-turns.ts'
import { Batcher } from '#platform/postgres/batcher.ts'
import { isUnreachable, transactAgain } from '#platform/postgres/database.ts'

const batchMax = 256

type Needs = Pick<PaymentNeeds, 'db' | 'clock' | 'accountClock' | 'followers' | 'patience' | 'crashpoint'>

// Two batchers, one for T1 and one for T2, each its own transaction, begun anew after a deadlock. Attempts
// that share a subject or a key wait for the next batch: one statement can change a row only once.
export function attemptRecorder(needs: Needs, turn?: Turn): Batcher<NewAttempt, Verdict> {
  return new Batcher({
    sizeMax: batchMax,
    turn,
    isHopeless: isUnreachable,
    keysOf: subjectsAndKeyOf,
    run: (news) =>
      record(needs, news, { assumesNewKeys: true }).catch((error: unknown) => {
        if (isKeyTaken(error)) return record(needs, news, { assumesNewKeys: false })
        throw error
      }),
  })
}

function record(
  { db, clock, patience, followers, crashpoint }: Needs,
  news: readonly NewAttempt[],
  { assumesNewKeys }: { readonly assumesNewKeys: boolean },
): Promise<readonly Verdict[]> {
  return transactAgain(db, async (tx) => {
    const at = clock.now()
    const leaseUntil = at.add({ milliseconds: patience.leaseMs })
    const verdicts = await recordAttempts(tx, { followers, at, leaseUntil, assumesNewKeys }, news)
    crashpoint('before_t1_commit')
    return verdicts
  })
}

export function answerRecorder(needs: Needs, turn?: Turn): Batcher<Answered, Move | null> {
  return new Batcher({
    sizeMax: batchMax,
    turn,
    isHopeless: isUnreachable,
    keysOf: ({ attempt }) => subjectsOf(attempt),
    run: (answered) =>
      transactAgain(needs.db, (tx) => recordAnswers(tx, { ...needs, at: needs.clock.now() }, answered)),
  })
}

// Whose subject it is, and whose key, is left out: two that are alike by chance only do not share a batch.
function subjectsOf({ following }: Pick<Attempt, 'following'>): unknown[] {
  const subjects: unknown[] = []
  for (const { subject } of following) subjects.push(subject)
  return subjects
}

function subjectsAndKeyOf(attempt: NewAttempt): readonly unknown[] {
  const keys = subjectsOf(attempt)
  if (attempt.callerKey) keys.push(attempt.callerKey.key)
  return keys
}
