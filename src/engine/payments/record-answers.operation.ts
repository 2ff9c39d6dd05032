import type { AccountClock } from '#engine/account-clock/account-clock.ts'
import type { AcquirerAnswer } from '#engine/acquirers/acquirer-answer.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import { eventsFor } from '#engine/events/event.ts'
import { postMoves } from '#engine/ledger/post.operation.ts'
import { type Attempt, type AttemptState, isFinal, type Move } from '#engine/payments/attempt.ts'
import { insertMoves } from '#engine/payments/attempt-history.store.ts'
import { isMovedOn, moveAttempts } from '#engine/payments/attempt-move.store.ts'
import { type AttemptInput, nextState } from '#engine/payments/attempt-transitions.ts'
import { answerOfDecision } from '#engine/payments/decision.ts'
import { type Follower, type Followers, movedOf } from '#engine/payments/follower.ts'
import { putManual, removeManual } from '#engine/payments/manual.store.ts'
import { movedAttempt } from '#engine/payments/moved-attempt.ts'
import { putUnresolved, removeUnresolved } from '#engine/payments/unresolved.store.ts'
import type { Tx } from '#platform/postgres/database.ts'

export type Answered = { readonly attempt: Attempt; readonly input: AttemptInput }

// The fence or the state had moved on: somebody else has resolved the attempt meanwhile.
export class FenceLost extends Error {
  override readonly name = 'FenceLost'
}

// T2, for requests and the recoverer alike: outcome, followers, payment, postings and events in one commit.
// An input that changes nothing in its state answers null.
export async function recordAnswers(
  tx: Tx,
  recording: Recording,
  answered: readonly Answered[],
): Promise<readonly (Move | null)[]> {
  const { accountClock, at } = recording
  const moves: (Move | null)[] = []
  for (const one of answered)
    moves.push(moveFor(one, { at: accountClock.showsAt(one.attempt.accountId, at), recordedAt: at }))
  const made = moves.filter(isMove)
  if (made.length > 0) await writeMoves(tx, recording, made)
  return moves
}

function isMove(move: Move | null): move is Move {
  return move !== null
}

type Recording = {
  readonly followers: Followers
  readonly accountClock: AccountClock
  // Real time.
  readonly at: Temporal.Instant
}

function moveFor({ attempt, input }: Answered, moment: Pick<Move, 'at' | 'recordedAt'>): Move | null {
  const to = nextState(attempt, input)
  if (to === null) return null
  const answer = answerOf(attempt, input)
  const move = { attempt: movedAttempt(attempt, to, answer), from: attempt.state, to, answer, ...moment }
  return input.on === 'decided' ? { ...move, decision: input.decision } : move
}

function answerOf(attempt: Attempt, input: AttemptInput): AcquirerAnswer | null {
  if (input.on === 'answer') return input.answer
  if (input.on === 'decided') return answerOfDecision(attempt, input.decision)
  if (input.on !== 'inquiry') return null
  return input.answer.kind === 'approved' || input.answer.kind === 'declined' ? input.answer : null
}

// The attempts move first, with their payments: whoever lost the fence is told so, whatever else its writes
// would run into. All is said in one turn, so that nothing waits for the answers before it commits.
async function writeMoves(tx: Tx, { followers, at }: Recording, moves: readonly Move[]): Promise<void> {
  // One, unless the sandbox has moved the clock of an account.
  const simultaneous = [...Map.groupBy(moves, momentOf).values()]
  try {
    await Promise.all([
      moveAttempts(tx, moves, at),
      ...followers.flatMap((follower) => simultaneous.flatMap((group) => follow(tx, follower, group))),
      ...simultaneous.flatMap((group) => writeDated(tx, group)),
      writeUnresolved(tx, moves, at),
      writeHistory(tx, moves),
    ])
  } catch (error) {
    if (!isMovedOn(error)) throw error
    throw new FenceLost('An attempt was moved by somebody else meanwhile', { cause: error })
  }
}

function momentOf({ at }: Move): number {
  return at.epochMilliseconds
}

function follow(tx: Tx, follower: Follower, moves: readonly Move[]): readonly Promise<unknown>[] {
  const moved = movedOf(follower, moves)
  return moved.length > 0 ? [follower.follow(tx, moved)] : []
}

function writeDated(tx: Tx, simultaneous: readonly Move[]): readonly Promise<unknown>[] {
  const at = simultaneous[0]?.at
  if (!at) return []
  return [postMoves(tx, simultaneous, at), appendEvents(tx, simultaneous.flatMap(eventsFor), at)]
}

async function writeUnresolved(tx: Tx, moves: readonly Move[], at: Temporal.Instant): Promise<void> {
  const open = moves.filter(isLeftOpen)
  const closed = moves.filter(isClosed)
  const { found = [], asIs = [] } = Object.groupBy(open, ({ answer }) =>
    answer?.kind === 'approved' ? 'found' : 'asIs',
  )
  await Promise.all([
    found.length > 0 ? putUnresolved(tx, { ids: idsOf(found), at, isLate: false, isFound: true }) : null,
    asIs.length > 0 ? putUnresolved(tx, { ids: idsOf(asIs), at, isLate: false, isFound: false }) : null,
    closed.length > 0 ? removeUnresolved(tx, idsOf(closed)) : null,
    writeManual(tx, moves, at),
  ])
}

function isLeftOpen({ to }: Move): boolean {
  return to === 'unknown' || to === 'reversal_due'
}

function isClosed({ from, to }: Move): boolean {
  const wasListed = from !== 'sending' && from !== 'manual'
  return wasListed && (isFinal(to) || to === 'manual')
}

async function writeManual(tx: Tx, moves: readonly Move[], at: Temporal.Instant): Promise<void> {
  const begun = moves.filter(beginsByHand)
  const ended = moves.filter(endsByHand)
  await Promise.all([
    begun.length > 0 ? putManual(tx, { ids: idsOf(begun), at, isLate: false }) : null,
    ended.length > 0 ? removeManual(tx, idsOf(ended)) : null,
  ])
}

function beginsByHand({ to }: Move): boolean {
  return to === 'manual'
}

function endsByHand({ from }: Move): boolean {
  return from === 'manual'
}

const straight: ReadonlySet<AttemptState> = new Set(['approved', 'partial', 'declined', 'not_sent'])

// The straight path is in the row itself.
async function writeHistory(tx: Tx, moves: readonly Move[]): Promise<void> {
  const offPath = moves.filter(isOffPath)
  if (offPath.length > 0) await insertMoves(tx, offPath)
}

function isOffPath({ from, to }: Move): boolean {
  return from !== 'sending' || !straight.has(to)
}

function idsOf(moves: readonly Move[]): readonly bigint[] {
  return moves.map(({ attempt }) => attempt.attemptId)
}
