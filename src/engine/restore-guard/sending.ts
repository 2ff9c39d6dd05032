// Whether this process may send anything to an acquirer. paused: until an operator confirms. busy: not
// checked yet, or the database was away and may have come back as another one. unnoted: how far it has come
// could not be written down for too long. clock: the own clock of this node is far from the database's.
export type Hold = { readonly kind: 'paused' | 'busy' | 'unnoted' | 'clock'; readonly because: string }
export type SendingGate = { readonly hold: Hold | null }

// The newest of a kind, by its id and its reference.
export type Sighted = { readonly id: bigint; readonly ref: string }

// How far a node saw the database come, in what an acquirer or a bank was told of: payments, and batches,
// because a settlement makes no payment, and the files of bank debits go out with it.
export type Mark = { readonly attempt: Sighted; readonly batch: Sighted }

const none: Sighted = { id: 0n, ref: '' }
export const noMark: Mark = { attempt: none, batch: none }

// The references at the marked ids in the database as it is now; null where there is no such row.
export type RefsAtMark = { readonly attempt: string | null; readonly batch: string | null }

// A database that lacks what was seen committed in it has been restored to an earlier time, or has lost
// commits. The reference tells even when others have gone on from there under the same ids.
export function isBehind(mark: Mark, refs: RefsAtMark): boolean {
  return isLost(mark.attempt, refs.attempt) || isLost(mark.batch, refs.batch)
}

function isLost({ id, ref }: Sighted, refNow: string | null): boolean {
  return id > 0n && refNow !== ref
}

export function isSameMark(one: Mark, other: Mark): boolean {
  return one.attempt.id === other.attempt.id && one.batch.id === other.batch.id
}

// Whether what was seen at one mark is at or below the other.
export function covers(noted: Mark, seen: Mark): boolean {
  return noted.attempt.id >= seen.attempt.id && noted.batch.id >= seen.batch.id
}

export const restored =
  'the database lacks payments or batches that this node saw in it, so it was restored or lost them'
export const cloned = 'this node is not registered in the database, so one of the two may be a copy'
export const wrongClock = "the clock of this node differs from the database's by more than 5 seconds"
export const unnoted =
  'this node cannot write down how far the database has come, so it would not notice that one was restored'
