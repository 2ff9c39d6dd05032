import { isKeyTaken } from '#engine/idempotency/claim-keys.operation.ts'
import type { Attempt, Move, NewAttempt } from '#engine/payments/attempt.ts'
import { type Followers, goesInOne } from '#engine/payments/follower.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { type Answered, recordAnswers } from '#engine/payments/record-answers.operation.ts'
import {
  recordAllAttempts,
  recordAttempts,
  type Verdict,
} from '#engine/payments/record-attempts.operation.ts'
import type { BatchCrowd } from '#platform/postgres/batch-crowd.ts'
import { Batcher, type BatchKeys } from '#platform/postgres/batcher.ts'
import { transactAgain } from '#platform/postgres/database.ts'
import { isUnmet, isUnreachable } from '#platform/postgres/failures.ts'

const batchMax = 256

type Needs = Pick<PaymentNeeds, 'db' | 'clock' | 'accountClock' | 'followers' | 'patience' | 'crashpoint'>

// Two batchers, one for T1 and one for T2, each its own transaction, begun anew after a deadlock. Attempts
// that share a key or a subject wait for the next batch: one statement can change a row only once. A few may
// share a subject where everybody who follows them takes several.
export function attemptRecorder(needs: Needs, crowd?: BatchCrowd): Batcher<NewAttempt, Verdict> {
  const canGoInOne = goesInOne(needs.followers)
  const subjectKeysOf = subjectKeys(needs.followers)
  const caution = new Caution()
  return new Batcher<NewAttempt, Verdict>({
    sizeMax: batchMax,
    crowd,
    isHopeless: isUnreachable,
    keysOf: (attempt) => {
      const { accountId, callerKey } = attempt
      const { own, shared } = subjectKeysOf(attempt)
      return callerKey ? { own: [...own, `${accountId}:${callerKey.key}`], shared } : { own, shared }
    },
    // As quickly as may go well: in one go, else step by step, else with a look at every key.
    run: async (news) => {
      const mayGoInOne = news.every(canGoInOne)
      const stepByStep = async (keys: KeyBelief): Promise<readonly Verdict[]> => {
        const verdicts = await record(needs, news, keys)
        if (mayGoInOne) caution.learnFrom(verdicts)
        return verdicts
      }
      try {
        const isBold = mayGoInOne && caution.isOver
        return await (isBold ? recordInOneGo(needs, news) : stepByStep({ assumesNewKeys: true }))
      } catch (error) {
        if (!isKeyTaken(error) && !isUnmet(error)) throw error
        return stepByStep({ assumesNewKeys: false })
      }
    },
  })
}

// Where one was refused others may follow, and each would have its whole batch recorded a second time. So the
// next batches are recorded step by step.
class Caution {
  #batchesLeft = 0

  get isOver(): boolean {
    return this.#batchesLeft === 0
  }

  learnFrom(verdicts: readonly Verdict[]): void {
    const isRefused = verdicts.some(({ kind }) => kind === 'refused')
    this.#batchesLeft = isRefused ? cautiousBatches : Math.max(0, this.#batchesLeft - 1)
  }
}

const cautiousBatches = 64

type KeyBelief = { readonly assumesNewKeys: boolean }

function record(needs: Needs, news: readonly NewAttempt[], keys: KeyBelief): Promise<readonly Verdict[]> {
  return transactAgain(needs.db, async (tx) => {
    const verdicts = await recordAttempts(tx, { ...recordingBy(needs), ...keys }, news)
    needs.crashpoint('before_t1_commit')
    return verdicts
  })
}

function recordInOneGo(needs: Needs, news: readonly NewAttempt[]): Promise<readonly Verdict[]> {
  return transactAgain(
    needs.db,
    async (tx) => {
      // Nothing happens between what is said and its commit.
      needs.crashpoint('before_t1_commit')
      return recordAllAttempts(tx, recordingBy(needs), news)
    },
    { inOneGo: true },
  )
}

function recordingBy({ clock, patience, followers }: Needs) {
  const at = clock.now()
  return { followers, at, leaseUntil: at.add({ milliseconds: patience.leaseMs }) }
}

export function answerRecorder(needs: Needs, crowd?: BatchCrowd): Batcher<Answered, Move | null> {
  const canGoInOne = goesInOne(needs.followers)
  const subjectKeysOf = subjectKeys(needs.followers)
  const canBeBold = ({ attempt }: Answered) => isFoundAgain(attempt) && canGoInOne(attempt)
  return new Batcher({
    sizeMax: batchMax,
    crowd,
    isHopeless: isUnreachable,
    // What several of one subject give back is one change, so any number of them may share a batch.
    keysOf: ({ attempt }) => ({ own: subjectKeysOf(attempt).own, shared: [] }),
    run: (answered) =>
      transactAgain(needs.db, (tx) => recordAnswers(tx, { ...needs, at: needs.clock.now() }, answered), {
        inOneGo: answered.every(canBeBold),
      }),
  })
}

// A database that hangs for longer than we wait may still commit what it was told in one go. A caller with a
// key hears of it by asking again. One without a key charges anew, so what we have given up must not be
// recorded then.
function isFoundAgain({ policy }: Attempt): boolean {
  return policy === 'resolve'
}

type Following = Pick<Attempt, 'following'>

// Attempts share a subject within a batch only where all their followers take several of one. The instalment
// of a plan does not: what it changes depends on the attempt before.
function subjectKeys(followers: Followers): (attempt: Following) => BatchKeys {
  const takers = new Set(followers.filter((one) => one.takesSeveral).map(({ name }) => name))
  return (attempt) => {
    const subjects = subjectsOf(attempt)
    const isShared = attempt.following.every(({ follower }) => takers.has(follower))
    return isShared ? { own: [], shared: subjects } : { own: subjects, shared: [] }
  }
}

// Subjects by numbers, because texts would have to be made for every attempt. Each follower has numbers of
// its own: what is made one after the other, such as consents and their instalments, has the same ids.
function subjectsOf({ following }: Following): bigint[] {
  const subjects: bigint[] = []
  for (const { follower, subject } of following) {
    const place = places.getOrInsertComputed(follower, () => BigInt(places.size))
    subjects.push(subject * placesMax + place)
  }
  return subjects
}

const places = new Map<string, bigint>()
const placesMax = 1_000n
