import { setTimeout as delay } from 'node:timers/promises'
import type { AcquirerAnswer } from '#engine/acquirers/acquirer-answer.ts'
import type { Attempt, NewAttempt } from '#engine/payments/attempt.ts'
import { findAttempt, releaseAttempt } from '#engine/payments/attempt.store.ts'
import { failedConnector } from '#engine/payments/failed-connector.ts'
import { fileLateAnswer } from '#engine/payments/late-answer.operation.ts'
import { Crash, type PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { FenceLost } from '#engine/payments/record-answers.operation.ts'
import { resolveAttempt } from '#engine/payments/resolve-attempt.operation.ts'
import { assert } from '#kernel/assert.ts'
import type { Refusal } from '#kernel/result.ts'
import { DatabaseUnavailable, isUnreachable } from '#platform/postgres/failures.ts'

export type Paid =
  // Final, or unknown: the attempt's state tells.
  | { readonly kind: 'recorded'; readonly attempt: Attempt }
  | { readonly kind: 'refused'; readonly attempt: Attempt; readonly refusal: Refusal<string> }
  | { readonly kind: 'duplicate' }
  // The acquirer cannot be reached, so nothing was recorded.
  | { readonly kind: 'not_begun' }

// What is sent to the acquirer, once, by whoever holds the card. The recoverer never sends it again.
export type Ask = (attempt: Attempt, signal: AbortSignal) => Promise<AcquirerAnswer>

// The one way in which money moves: sale, verification, void and credit are kinds of attempt. What undoes a
// payment is begun whether the acquirer can be reached or not, because it is repeated until it is done.
export async function pay(needs: PaymentNeeds, attempt: NewAttempt, ask: Ask): Promise<Paid> {
  if (attempt.kind !== 'void' && !needs.line.isUp) return { kind: 'not_begun' }
  const begunAt = needs.clock.now()
  const verdict = await needs.attempts.add(attempt)
  if (verdict.kind !== 'sending') return verdict
  const { isCallerWaiting } = attempt
  const sending = { attempt: verdict.attempt, ask, begunAt, isCallerWaiting }
  return { kind: 'recorded', attempt: await sendAndRecord(needs, sending) }
}

// Recorded as not sent. The caller receives what it would if the database had been away a moment earlier.
class HeldBack extends DatabaseUnavailable {
  override readonly name = 'HeldBack'
}

type BeingSent = Pick<NewAttempt, 'isCallerWaiting'> & {
  readonly attempt: Attempt
  readonly ask: Ask
  readonly begunAt: Temporal.Instant
}

// From here on nobody may be told that nothing was done: whatever breaks, the outcome is unknown and is
// resolved later.
async function sendAndRecord(needs: PaymentNeeds, sending: BeingSent): Promise<Attempt> {
  try {
    return await send(needs, sending)
  } catch (error) {
    if (error instanceof Crash || error instanceof HeldBack) throw error
    return notRecorded(needs, sending.attempt, error)
  }
}

async function send(
  needs: PaymentNeeds,
  { attempt, ask, begunAt, isCallerWaiting = () => true }: BeingSent,
): Promise<Attempt> {
  needs.crashpoint('after_t1')
  const answer = hasLease(needs, begunAt) ? await askInTime(needs, attempt, ask) : notSent
  needs.crashpoint('before_t2')
  const recorded = await recordAnswer(needs, { attempt, begunAt }, answer)
  needs.crashpoint('after_t2')
  if (answer.kind === 'not_sent' && answer.isBusy && recorded.state === 'not_sent')
    throw new HeldBack('Nothing was sent: this node may not send at the moment')
  if (recorded.state !== 'unknown' || recorded.fence !== attempt.fence) return recorded
  // The caller may still wait, so one more question is worth its while.
  return resolveAttempt(needs, recorded, { isCallerWaiting })
}

const notSent: AcquirerAnswer = { kind: 'not_sent' }

// Whoever slept past its lease sends nothing: somebody else may have closed the attempt.
function hasLease({ clock, patience }: PaymentNeeds, begunAt: Temporal.Instant): boolean {
  return clock.now().epochMilliseconds - begunAt.epochMilliseconds < patience.leaseMs
}

// No connection is held meanwhile. Silence is unknown.
async function askInTime(needs: PaymentNeeds, attempt: Attempt, ask: Ask): Promise<AcquirerAnswer> {
  // Cleared with the answer: AbortSignal.timeout would be kept for the whole time, by every charge.
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(), needs.patience.answerMs).unref()
  try {
    const answer = await ask(attempt, patience.signal)
    needs.crashpoint('after_send')
    return answer
  } catch (error) {
    return failedConnector(needs.log, attempt, error)
  } finally {
    clearTimeout(timer)
  }
}

// In shares of the time that is given to it.
const recordAgainAfter = [0.02, 0.04, 0.08, 0.16, 0.3, 0.4]

// Written again while the database does not answer, so that its restart makes no outcome unknown: to write it
// twice changes nothing.
async function recordAnswer(
  needs: PaymentNeeds,
  { attempt, begunAt }: Pick<BeingSent, 'attempt' | 'begunAt'>,
  answer: AcquirerAnswer,
): Promise<Attempt> {
  let until = lastMoment(needs, begunAt)
  for (const share of recordAgainAfter) {
    try {
      return await recordOnce(needs, attempt, answer)
    } catch (error) {
      const nowMs = needs.clock.now().epochMilliseconds
      until = Math.min(until, nowMs + needs.patience.recordMs)
      if (!isUnreachable(error) || nowMs > until) throw error
      const waitMs = share * needs.patience.recordMs
      if (waitMs > 0) await delay(waitMs)
    }
  }
  return recordOnce(needs, attempt, answer)
}

// Nobody waits much longer for an answer. Whoever has no key will charge anew then, so that an approval must
// be found unknown, and be taken back.
function lastMoment({ patience }: PaymentNeeds, begunAt: Temporal.Instant): number {
  const { answerMs, recordMs, leaseMs } = patience
  return begunAt.epochMilliseconds + Math.min(answerMs + recordMs / 2, leaseMs)
}

async function recordOnce(needs: PaymentNeeds, attempt: Attempt, answer: AcquirerAnswer): Promise<Attempt> {
  try {
    const move = await needs.answers.add({ attempt, input: { on: 'answer', answer } })
    assert(move, 'every answer moves an attempt that is being sent')
    return move.attempt
  } catch (error) {
    if (!(error instanceof FenceLost)) throw error
    // It has moved already. If nobody has taken it from us, our own T2 was written and only the confirmation
    // was lost. We find out by a write and not by a read: only a commit waits for the standby, so this one
    // proves that our T2 is durable. Otherwise we slept past our lease and somebody else has resolved it.
    const isOurs = await releaseAttempt(needs.db, attempt, needs.clock.now())
    if (!isOurs) await fileLateAnswer(needs, attempt, answer)
    const current = await findAttempt(needs.db, { account: attempt.accountId, attempt: attempt.attemptId })
    assert(current, 'an attempt that was recorded is found again')
    return current
  }
}

// The answer could not be written, so nobody may be told it: the recoverer asks for it again.
function notRecorded(needs: PaymentNeeds, attempt: Attempt, error: unknown): Attempt {
  needs.log.error(
    { err: error, attemptId: String(attempt.attemptId) },
    'The outcome of an attempt could not be recorded; it is resolved later',
  )
  return { ...attempt, state: 'unknown' }
}
