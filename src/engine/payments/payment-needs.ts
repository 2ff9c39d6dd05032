import type { AccountClock } from '#engine/account-clock/account-clock.ts'
import type { Acquirer } from '#engine/acquirers/acquirer.ts'
import type { AcquirerLine } from '#engine/payments/acquirer-line.operation.ts'
import type { Move, NewAttempt } from '#engine/payments/attempt.ts'
import type { AttemptReads } from '#engine/payments/find-attempt.operation.ts'
import type { Followers } from '#engine/payments/follower.ts'
import type { Answered } from '#engine/payments/record-answers.operation.ts'
import type { Verdict } from '#engine/payments/record-attempts.operation.ts'
import type { Clock } from '#platform/clock.ts'
import type { Log } from '#platform/log.ts'
import type { Database } from '#platform/postgres/database.ts'

// The points at which a process may die; tests make it die there. In production the function does nothing.
export type CrashPoint =
  | 'before_t1_commit'
  | 'after_t1'
  | 'after_send'
  | 'before_t2'
  | 'after_t2'
  | 'before_reversal'
  | 'after_reversal'
  | 'before_recovery_t2'
  | 'batch_closed'
  | 'batch_marked_sent'
  | 'batch_answered'
  | 'batch_recorded'

// Thrown by crash points in tests, in place of dying.
export class Crash extends Error {
  override readonly name = 'Crash'
}

// How long we wait for whom.
export type Patience = {
  readonly answerMs: number
  readonly inquiryMs: number
  // From the first failure on, in which an answer is written again while the database is away.
  readonly recordMs: number
  // After which an attempt whose holder is silent is taken over.
  readonly leaseMs: number
  // At least this long between two inquiries that find nothing, before nothing is believed.
  readonly notFoundMs: number
  // Between two looks for attempts to recover.
  readonly recoveryMs: number
}

export type PaymentNeeds = {
  readonly db: Database
  // Where batches run, so that a rush of other calls never takes their connections. It goes by index whatever
  // the statistics say, so the recoverer looks there for the newest of all attempts, again and again.
  readonly batchDb: Database
  // Real time. Business dates go by the clock of the account.
  readonly clock: Clock
  readonly accountClock: AccountClock
  readonly log: Log
  readonly acquirer: Acquirer
  // Whether it answers at all.
  readonly line: Pick<AcquirerLine, 'isUp' | 'check'>
  readonly followers: Followers
  readonly patience: Patience
  readonly crashpoint: (point: CrashPoint) => void
  // The one read before T1 of what is to be undone, shared like T1 and T2.
  readonly attemptReads: AttemptReads
  // T1 and T2: attempts and answers that arrive together share a transaction.
  readonly attempts: { add(attempt: NewAttempt): Promise<Verdict> }
  readonly answers: { add(answered: Answered): Promise<Move | null> }
}

export const usualPatience: Patience = {
  answerMs: 20_000,
  inquiryMs: 5_000,
  recordMs: 6_000,
  leaseMs: 45_000,
  notFoundMs: 40_000,
  recoveryMs: 2_000,
}

// For crash tests, which cannot wait for minutes.
export function scaledPatience(percent: number): Patience {
  const scale = (ms: number) => Math.max(1, Math.round((ms * percent) / 100))
  return {
    answerMs: scale(usualPatience.answerMs),
    inquiryMs: scale(usualPatience.inquiryMs),
    recordMs: scale(usualPatience.recordMs),
    leaseMs: scale(usualPatience.leaseMs),
    notFoundMs: scale(usualPatience.notFoundMs),
    recoveryMs: scale(usualPatience.recoveryMs),
  }
}
