// Whether this process may send anything to an acquirer. paused: until an operator confirms. busy: not
// checked yet, or the database was away and may have come back as another one.
export type Hold = { readonly kind: 'paused' | 'busy'; readonly because: string }
export type Sending = { readonly hold: Hold | null }

// How far a node saw the database come: an attempt by its id and its reference, and an event by its id.
export type Mark = { readonly attemptId: bigint; readonly ref: string; readonly eventId: bigint }

export const noMark: Mark = { attemptId: 0n, ref: '', eventId: 0n }

export type Sighting = {
  readonly mark: Mark
  // The reference of the marked attempt in the database as it is now; null when there is no such attempt.
  readonly refAtMark: string | null
  readonly highest: Mark
}

// A database that lacks what was seen committed in it has been restored to an earlier time, or has lost
// commits. The reference tells even when others have gone on from there under the same ids.
export function isBehind({ mark, refAtMark, highest }: Sighting): boolean {
  if (mark.attemptId > 0n && refAtMark !== mark.ref) return true
  return highest.eventId < mark.eventId
}

export const restored =
  'the database lacks payments that this node saw in it, so it was restored or lost them'
export const cloned = 'this node is not registered in the database, so one of the two may be a copy'
