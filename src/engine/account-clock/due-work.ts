import type { AccountId } from '#kernel/ids.ts'

// One thing that was done because its time had come, as the time machine tells it.
export type DiaryEntry = {
  // By the account's clock: when it was due, not when somebody came to it.
  readonly at: Temporal.Instant
  // A word for programs, such as 'schedule.paid': the name of the event where there is one.
  readonly what: string
  // The id of what it was done to; null when it concerns the account as a whole.
  readonly subject: bigint | null
  // A sentence for people. Nothing secret.
  readonly text: string
}

// Work that falls due by an account's clock. One round after the other runs it as real time passes, and the
// time machine runs it in order of time. Of all nodes only one runs the due work of an account at a time,
// but callers of the interface may do the same thing meanwhile, and a node may die at any point: every piece
// must be guarded by its own row, as an instalment is that is only taken while it is scheduled.
export type DueWork<Needs> = {
  // For logs and complaints.
  readonly name: string
  // Accounts that have something due at or before this moment. May name too many, never too few: dates in
  // a merchant's zone may be compared roughly here. Accounts whose clock was moved are asked in any case.
  accountsDue(needs: Needs, at: Temporal.Instant): Promise<readonly AccountId[]>
  // The first moment after `after` and not after `until` at which something falls due; null when there is
  // none. What is overdue already does not count.
  nextDue(needs: Needs, span: DueSpan): Promise<Temporal.Instant | null>
  // Does all that is due at or before `at` and not done yet, a missed day included, and tells what it did as
  // it goes, some at a time, so that nobody holds all of it.
  // What cannot be done now is left for the next round and not an error. The account's clock shows `at`, or
  // a little later. Starts nothing new once the signal is aborted: another node may be at it.
  runDue(needs: Needs, due: DueMoment): Promise<void>
}

export type DueSpan = {
  readonly accountId: AccountId
  readonly after: Temporal.Instant
  readonly until: Temporal.Instant
}

export type DueMoment = {
  readonly accountId: AccountId
  readonly at: Temporal.Instant
  readonly signal: AbortSignal
  readonly tell: Tell
}

export type Tell = (entries: readonly DiaryEntry[]) => Promise<void>
