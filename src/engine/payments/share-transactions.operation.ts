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
    keysOf: (attempt) => {
      const { accountId, callerKey } = attempt
      const subjects: unknown[] = subjectsOf(attempt)
      return callerKey ? [...subjects, `${accountId}:${callerKey.key}`] : subjects
    },
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

// Subjects by numbers, because texts would have to be made for every attempt. Each follower has numbers of
// its own: what is made one after the other, such as consents and their instalments, has the same ids.
function subjectsOf({ following }: Pick<Attempt, 'following'>): bigint[] {
  const subjects: bigint[] = []
  for (const { follower, subject } of following) {
    const place = places.getOrInsertComputed(follower, () => BigInt(places.size))
    subjects.push(subject * placesMax + place)
  }
  return subjects
}

const places = new Map<string, bigint>()
const placesMax = 1_000n
