import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { Attempt, Following, Move, NewAttempt } from '#engine/payments/attempt.ts'
import type { Refusal } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'

// All a slice must know to write inside the engine's two transactions.
export type Follower<Detail = unknown> = {
  // Stored with the attempt, so never renamed.
  readonly name: string
  // T1: one guarded statement for all rows, or one a round (roundsOf). Answers the attempts that did NOT get
  // their subject, and why.
  begin(tx: Tx, starts: readonly Start<Detail>[]): Promise<ReadonlyMap<AcquirerRef, Refusal<string>>>
  // Each later move, also by the recoverer in another process: own rows, set-based.
  follow(tx: Tx, moved: readonly Moved[]): Promise<unknown>
  // Only of followers whose begin and follow never wait for an answer of the database before their next
  // statement. Begins as if all attempts got their subject; where one does not, the transaction fails
  // (isUnmet), and begin is asked.
  beginAll?(tx: Tx, starts: readonly Start<Detail>[]): Promise<unknown>
  // A list of starts or moves may name a subject more than once, if every follower of those attempts takes
  // several. To all others none ever does.
  readonly takesSeveral?: true
}

export type Start<Detail> = {
  readonly attempt: NewAttempt
  readonly subject: bigint
  readonly detail: Detail
}
// Only what rows can give back.
export type Moved = { readonly move: Move; readonly subject: bigint }

// In lock order.
export type Followers = readonly Follower[]

export function following<Detail>(
  follower: Follower<Detail>,
  subject: bigint,
  detail: Detail,
): Following<Detail> {
  return { follower: follower.name, subject, detail }
}

// The starts of one follower, in the order of their subjects: everybody locks rows in the same order.
export function startsOf(follower: Follower, attempts: readonly NewAttempt[]): readonly Start<unknown>[] {
  const starts: Start<unknown>[] = []
  for (const attempt of attempts) {
    for (const { follower: name, subject, detail } of attempt.following)
      if (name === follower.name) starts.push({ attempt, subject, detail })
  }
  return starts.toSorted(bySubject)
}

export function movedOf(follower: Follower, moves: readonly Move[]): readonly Moved[] {
  const moved: Moved[] = []
  for (const move of moves) {
    for (const { follower: name, subject } of move.attempt.following)
      if (name === follower.name) moved.push({ move, subject })
  }
  return moved.toSorted(bySubject)
}

// One statement changes a row once, so whoever takes several of a subject does it in rounds, in their order.
export function roundsOf<One extends Pick<Moved, 'subject'>>(
  all: readonly One[],
): readonly (readonly One[])[] {
  const rounds: One[][] = []
  const roundsBy = new Map<bigint, number>()
  for (const one of all) {
    const round = roundsBy.get(one.subject) ?? 0
    roundsBy.set(one.subject, round + 1)
    ;(rounds[round] ??= []).push(one)
  }
  return rounds
}

function bySubject(left: Pick<Moved, 'subject'>, right: Pick<Moved, 'subject'>): number {
  if (left.subject === right.subject) return 0
  return left.subject < right.subject ? -1 : 1
}

// Tells whether all statements of an attempt's followers can leave in one write.
export function goesInOne(followers: Followers): (attempt: Pick<Attempt, 'following'>) => boolean {
  const hesitant = new Set<string>()
  for (const follower of followers) if (!('beginAll' in follower)) hesitant.add(follower.name)
  return ({ following: them }) => !them.some(({ follower }) => hesitant.has(follower))
}
