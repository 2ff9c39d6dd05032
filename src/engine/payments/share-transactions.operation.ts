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
  // Because not long ago one was refused something.
  let cautiousBatchesLeft = 0
  const withCaution = async (news: readonly NewAttempt[], keys: KeyBelief): Promise<readonly Verdict[]> => {
    const verdicts = await record(needs, news, keys)
    cautiousBatchesLeft = verdicts.some(isRefused) ? cautiousBatches : Math.max(0, cautiousBatchesLeft - 1)
    return verdicts
  }
  return new Batcher<NewAttempt, Verdict>({
    sizeMax: batchMax,
    crowd,
    isHopeless: isUnreachable,
    keysOf: (attempt) => {
      const { accountId, callerKey } = attempt
      const { own, shared } = subjectKeysOf(attempt)
      return callerKey ? { own: [...own, `${accountId}:${callerKey.key}`], shared } : { own, shared }
    },
    run: (news) => {
      const canBeBold = news.every(canGoInOne)
      const stepByStep = (keys: KeyBelief) =>
        canBeBold ? withCaution(news, keys) : record(needs, news, keys)
      const isBold = canBeBold && cautiousBatchesLeft === 0
      const recording = isBold ? recordInOneGo(needs, news) : stepByStep({ assumesNewKeys: true })
      return recording.catch((error: unknown) => {
        if (isKeyTaken(error) || isUnmet(error)) return stepByStep({ assumesNewKeys: false })
        throw error
      })
    },
  })
}

// Where one was refused others may follow, and each would have its whole batch recorded a second time.
const cautiousBatches = 64

function isRefused({ kind }: Verdict): boolean {
  return kind === 'refused'
}

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

// A server that stood still and goes on commits what it was told in one go, although we have given it up.
// Who has a key will hear of it then. Who has none charges anew, and what was given up must not be recorded.
function isFoundAgain({ policy }: Attempt): boolean {
  return policy === 'resolve'
}

type Following = Pick<Attempt, 'following'>

// Where one who follows an attempt does not take several, such as the instalment of a plan, nothing that it
// follows is shared: what that one changes hangs on the attempt before.
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
