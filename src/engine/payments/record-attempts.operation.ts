import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { claimCallerKeys, claimNewKeys, releaseCallerKeys } from '#engine/idempotency/claim-keys.operation.ts'
import type { Attempt, Move, NewAttempt } from '#engine/payments/attempt.ts'
import { moveAttempts } from '#engine/payments/attempt-move.store.ts'
import { insertAttempts } from '#engine/payments/new-attempt.store.ts'
import { type Follower, type Followers, movedOf, startsOf } from '#engine/payments/follower.ts'
import { assert } from '#kernel/assert.ts'
import type { Refusal } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'

export type Verdict =
  | { readonly kind: 'sending'; readonly attempt: Attempt }
  // Recorded, but nothing is sent: a follower turned it down.
  | { readonly kind: 'refused'; readonly attempt: Attempt; readonly refusal: Refusal<string> }
  // The caller's key belongs to an earlier attempt.
  | { readonly kind: 'duplicate' }

type Refusals = ReadonlyMap<AcquirerRef, Refusal<string>>
type Asked = { readonly follower: Follower; readonly refusals: Refusals }

type Recording = {
  readonly followers: Followers
  // Real time, both: business dates come with the attempts.
  readonly at: Temporal.Instant
  readonly leaseUntil: Temporal.Instant
  // Saves waiting for the keys. Where one was used before, the transaction fails (isKeyTaken).
  readonly assumesNewKeys: boolean
}

// T1, for many attempts of any kind: keys, rows and the followers' guarded changes in one commit. Nothing
// is sent before it is confirmed.
export async function recordAttempts(
  tx: Tx,
  { followers, at, leaseUntil, assumesNewKeys }: Recording,
  news: readonly NewAttempt[],
): Promise<readonly Verdict[]> {
  const claiming = (assumesNewKeys ? claimNewKeys : claimCallerKeys)(tx, news, at)
  const going = assumesNewKeys ? news : await claiming
  // Sent together; the order of the list is the order of locks.
  const [claimed, asked, recorded] = await Promise.all([
    claiming,
    Promise.all(followers.flatMap((follower) => begin(tx, follower, going))),
    going.length > 0 ? insertAttempts(tx, going, leaseUntil) : [],
  ])
  const refusals = new Map(asked.flatMap((one) => [...one.refusals]))
  if (refusals.size > 0) await giveBack(tx, { asked, refusals, recorded, claimed, at })
  return verdictsOn(news, recorded, refusals)
}

// The same with all statements in one write, as if every attempt got what it asks for. Where one does not,
// the transaction fails (isUnmet, isKeyTaken).
export async function recordAllAttempts(
  tx: Tx,
  { followers, at, leaseUntil }: Omit<Recording, 'assumesNewKeys'>,
  news: readonly NewAttempt[],
): Promise<readonly Verdict[]> {
  const [, , recorded] = await Promise.all([
    claimNewKeys(tx, news, at),
    Promise.all(followers.flatMap((follower) => beginAll(tx, follower, news))),
    insertAttempts(tx, news, leaseUntil),
  ])
  return verdictsOn(news, recorded, noRefusals)
}

const noRefusals: Refusals = new Map()

function beginAll(tx: Tx, follower: Follower, news: readonly NewAttempt[]): readonly Promise<unknown>[] {
  const starts = startsOf(follower, news)
  if (starts.length === 0) return []
  const begun = follower.beginAll?.(tx, starts)
  assert(begun, 'whoever is asked in one turn can begin in one')
  return [begun]
}

function begin(tx: Tx, follower: Follower, news: readonly NewAttempt[]): readonly Promise<Asked>[] {
  const starts = startsOf(follower, news)
  if (starts.length === 0) return []
  return [follower.begin(tx, starts).then((refusals) => ({ follower, refusals }))]
}

type Refused = {
  readonly asked: readonly Asked[]
  readonly refusals: Refusals
  readonly recorded: readonly Attempt[]
  readonly claimed: readonly NewAttempt[]
  readonly at: Temporal.Instant
}

// The row of a refused attempt stays, its key does not; followers that had said yes hear the refusal.
async function giveBack(tx: Tx, { asked, refusals, recorded, claimed, at }: Refused): Promise<void> {
  const refused = claimed.filter(({ ref }) => refusals.has(ref))
  const moves = recorded
    .filter(({ ref }) => refusals.has(ref))
    .map((before): Move => ({
      attempt: { ...before, state: 'refused' },
      from: 'sending',
      to: 'refused',
      answer: null,
      at: before.createdAt,
      recordedAt: at,
    }))
  const told = asked.flatMap(({ follower, refusals: own }) => {
    const moved = movedOf(follower, moves).filter(({ move }) => !own.has(move.attempt.ref))
    return moved.length > 0 ? [follower.follow(tx, moved)] : []
  })
  await Promise.all([...told, moveAttempts(tx, moves, at), releaseCallerKeys(tx, refused)])
}

// What was recorded is in the order of the news, of which those whose key was taken are missing.
function verdictsOn(
  news: readonly NewAttempt[],
  recorded: readonly Attempt[],
  refusals: Refusals,
): readonly Verdict[] {
  const verdicts: Verdict[] = []
  let next = 0
  for (const { ref } of news) {
    const attempt = recorded[next]
    if (attempt?.ref === ref) {
      next += 1
      verdicts.push(verdictOn(attempt, refusals.size > 0 ? refusals.get(ref) : undefined))
    } else verdicts.push({ kind: 'duplicate' })
  }
  assert(next === recorded.length, 'everything that was recorded was asked for')
  return verdicts
}

function verdictOn(attempt: Attempt, refusal: Refusal<string> | undefined): Verdict {
  assert(attempt.state === 'sending', 'an attempt is recorded before it is sent')
  return refusal ? { kind: 'refused', attempt, refusal } : { kind: 'sending', attempt }
}
