import type {
  Approved,
  Declined,
  InquiryAnswer,
  ReversalAnswer,
  ReversalRefused,
  Unknown,
} from '#engine/acquirers/acquirer-answer.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import { insertLateNote } from '#engine/payments/attempt-history.store.ts'
import { releaseAttempt, takeAttempts } from '#engine/payments/attempt.store.ts'
import type { AttemptInput } from '#engine/payments/attempt-transitions.ts'
import { failedConnector } from '#engine/payments/failed-connector.ts'
import { putManual } from '#engine/payments/manual.store.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { FenceLost } from '#engine/payments/record-answers.operation.ts'
import { checkDelayMs, hasWaitedEnough, isGivenUp } from '#engine/payments/recovery-schedule.ts'
import {
  findUnresolved,
  postponeUnresolved,
  removeUnresolved,
  type Unresolved,
} from '#engine/payments/unresolved.store.ts'

// Asked when the outcome is known: whoever has hung up by then will not hear it.
type Waiting = { readonly isCallerWaiting: () => boolean }

// Finds out what became of one attempt and records it: asks by our own reference, or goes on with a
// reversal. Whoever does it takes the next fence first. Answers the attempt as it is then.
export async function resolveAttempt(
  needs: PaymentNeeds,
  attempt: Attempt,
  waiting: Waiting,
): Promise<Attempt> {
  const now = needs.clock.now()
  const leaseUntil = now.add({ milliseconds: needs.patience.leaseMs })
  const { attemptId } = attempt
  if (!(await findUnresolved(needs.db, attemptId))) return attempt
  const [taken] = await takeAttempts(needs.db, { ids: [attemptId], now, leaseUntil })
  if (!taken) return attempt
  // Read again by its holder: it may have changed before it was taken.
  const unresolved = await findUnresolved(needs.db, attemptId)
  if (!unresolved) return taken
  try {
    return unresolved.isLate
      ? await reverseLate(needs, { attempt: taken, unresolved })
      : await resolveTaken(needs, { attempt: taken, unresolved }, waiting)
  } catch (error) {
    if (error instanceof FenceLost) return taken
    throw error
  }
}

export const nobodyWaits: Waiting = { isCallerWaiting: () => false }

type Case = { readonly attempt: Attempt; readonly unresolved: Unresolved }

async function resolveTaken(
  needs: PaymentNeeds,
  { attempt, unresolved }: Case,
  waiting: Waiting,
): Promise<Attempt> {
  const now = needs.clock.now()
  if (isGivenUp(attempt.state, unresolved, now)) {
    needs.log.error(
      { attemptId: String(attempt.attemptId), state: attempt.state },
      'An attempt needs an operator',
    )
    return record(needs, { attempt, unresolved }, { on: 'given_up' })
  }
  if (attempt.state === 'unknown') return inquire(needs, { attempt, unresolved }, waiting)
  if (attempt.state === 'reversal_due') {
    const reversing = await record(needs, { attempt, unresolved }, { on: 'reversal_begun' })
    return reverse(needs, { attempt: reversing, unresolved })
  }
  return attempt.state === 'reversing' ? reverse(needs, { attempt, unresolved }) : attempt
}

async function inquire(needs: PaymentNeeds, { attempt, unresolved }: Case, { isCallerWaiting }: Waiting) {
  const answer = await askWhatBecame(needs, attempt)
  const isNotFound = answer.kind === 'not_found'
  const isSecondNotFound =
    isNotFound && hasWaitedEnough(unresolved.notFoundAt, needs.clock.now(), needs.patience.notFoundMs)
  const input: AttemptInput = { on: 'inquiry', answer, isCallerWaiting: isCallerWaiting(), isSecondNotFound }
  return record(needs, { attempt, unresolved }, input, isNotFound)
}

// A void is the reversal of its sale, and a reversal can simply be repeated.
async function askWhatBecame(needs: PaymentNeeds, attempt: Attempt): Promise<InquiryAnswer> {
  if (attempt.kind === 'void') {
    const answer = await askToReverse(needs, attempt)
    return voidAnswer(attempt, answer)
  }
  const signal = AbortSignal.timeout(needs.patience.inquiryMs)
  const answer = await hear(needs, attempt, () => needs.acquirer.inquire(attempt.subjectRef, signal))
  return answer.kind === 'approved' && !fits(attempt, answer) ? garbled : answer
}

const garbled: Unknown = { kind: 'unknown', because: 'garbled' }

// More than was asked for, or other money, belongs to somebody else's payment.
function fits({ amounts: { total } }: Attempt, { amount }: Approved): boolean {
  return amount.currency === total.currency && amount.minor <= total.minor
}

async function hear<Answer>(
  needs: PaymentNeeds,
  attempt: Attempt,
  ask: () => Promise<Answer>,
): Promise<Answer | Unknown> {
  try {
    return await ask()
  } catch (error) {
    return failedConnector(needs.log, attempt, error)
  }
}

// What the bank's word about a reversal means for a void. One that is refused is declined: the sale stands.
export function voidAnswer(attempt: Attempt, answer: ReversalAnswer): Approved | Declined | Unknown {
  if (answer.kind === 'reversed') return voidDone(attempt)
  return answer.kind === 'refused'
    ? { kind: 'declined', code: answer.code, checks: { avs: '', cvv: '' } }
    : answer
}

export function voidDone(attempt: Attempt) {
  const checks = { avs: '', cvv: '' }
  return {
    kind: 'approved' as const,
    approvalCode: '',
    amount: attempt.amounts.total,
    checks,
    networkId: '',
  }
}

async function reverse(needs: PaymentNeeds, { attempt, unresolved }: Case): Promise<Attempt> {
  needs.crashpoint('before_reversal')
  const answer = await askToReverse(needs, attempt)
  needs.crashpoint('after_reversal')
  // No bank takes a credit back. One that arrived after all refuses its reversal, so it is asked for again.
  if (attempt.kind === 'credit' && answer.kind !== 'reversed')
    return inquire(needs, { attempt, unresolved }, nobodyWaits)
  if (answer.kind === 'refused') tellOperator(needs, attempt, answer)
  const input: AttemptInput = { on: 'reversal', answer, wasFound: unresolved.notFoundAt === null }
  return record(needs, { attempt, unresolved }, input)
}

function tellOperator(needs: PaymentNeeds, { attemptId, state }: Attempt, { code }: ReversalRefused): void {
  needs.log.error(
    { attemptId: String(attemptId), state, code },
    'The bank refuses a reversal; the attempt needs an operator',
  )
}

function askToReverse(needs: PaymentNeeds, attempt: Attempt): Promise<ReversalAnswer> {
  const signal = AbortSignal.timeout(needs.patience.inquiryMs)
  return hear(needs, attempt, () => needs.acquirer.reverse(attempt.subjectRef, signal))
}

// Records what the input changes; when it changes nothing, the attempt is looked at again later.
async function record(
  needs: PaymentNeeds,
  { attempt, unresolved }: Case,
  input: AttemptInput,
  isNotFound = false,
): Promise<Attempt> {
  needs.crashpoint('before_recovery_t2')
  const move = await needs.answers.add({ attempt, input })
  if (move) return move.attempt
  const now = needs.clock.now()
  const delayMs = isNotFound ? needs.patience.notFoundMs : checkDelayMs(unresolved.checks)
  const until = now.add({ milliseconds: delayMs })
  await postponeUnresolved(needs.db, { id: attempt.attemptId, until, isNotFound, now })
  await releaseAttempt(needs.db, attempt, now)
  return attempt
}

// The attempt is closed; only the bank has to hear that its late approval does not stand.
async function reverseLate(needs: PaymentNeeds, { attempt, unresolved }: Case): Promise<Attempt> {
  if (isGivenUp(attempt.state, unresolved, needs.clock.now())) return giveUpLate(needs, attempt)
  const answer = await askToReverse(needs, attempt)
  if (answer.kind === 'refused') tellOperator(needs, attempt, answer)
  if (answer.kind === 'reversed') {
    await needs.db.inTransaction((tx) => removeUnresolved(tx, [attempt.attemptId]))
  } else {
    const now = needs.clock.now()
    const until = now.add({ milliseconds: checkDelayMs(unresolved.checks) })
    await postponeUnresolved(needs.db, { id: attempt.attemptId, until, isNotFound: false, now })
    await releaseAttempt(needs.db, attempt, now)
  }
  return attempt
}

// Its state stays what the caller was told; that the bank still holds the money is for people to end.
async function giveUpLate(needs: PaymentNeeds, attempt: Attempt): Promise<Attempt> {
  const { attemptId, state, fence } = attempt
  const at = needs.clock.now()
  needs.log.error(
    { attemptId: String(attemptId), state },
    'The reversal of a late approval needs an operator',
  )
  await needs.db.inTransaction((tx) =>
    Promise.all([
      removeUnresolved(tx, [attemptId]),
      putManual(tx, { ids: [attemptId], at, isLate: true }),
      insertLateNote(tx, { attemptId, state, fence, cause: 'given_up', at }),
    ]),
  )
  return attempt
}
