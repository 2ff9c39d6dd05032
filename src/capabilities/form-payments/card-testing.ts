import { type CardCounts, cardThresholds, type Threshold } from '#engine/card-tries/card-counts.ts'

// How often something was tried on forms, as far as it looks like card testing. Counted before the try
// that is judged.
export type FormCounts = {
  readonly ofForm: number
  // Other cards than the one that is tried now.
  readonly otherCardsOfForm: number
  readonly declinesOfNetworkInHour: number
  // Of all visits to the link that leads to the form, however many forms they have; 0 where there is none.
  // Approvals do not count, because many may pay such a link.
  readonly declinesOfLinkInHour: number
  readonly declinesOfLinkFromNetworkInHour: number
}

// Together with what is counted of cards, whichever way they are charged.
export type TryCounts = FormCounts & CardCounts

const thresholds: Readonly<Record<keyof TryCounts, Threshold>> = {
  ofForm: { puzzle: 3, block: 5 },
  otherCardsOfForm: { puzzle: 2, block: 3 },
  declinesOfNetworkInHour: { puzzle: 5, block: 15 },
  declinesOfLinkInHour: { puzzle: 3, block: 15 },
  declinesOfLinkFromNetworkInHour: { puzzle: 3, block: 5 },
  ...cardThresholds,
}

const names: readonly (keyof TryCounts)[] = [
  'ofForm',
  'otherCardsOfForm',
  'declinesOfNetworkInHour',
  'declinesOfCardInDay',
  'declinesOfLinkInHour',
  'declinesOfLinkFromNetworkInHour',
  'declinedBinTriesInTenMinutes',
  'invalidPercentInHour',
  'zeroTriesInMinute',
]

// Tries of other forms whose outcome nobody knows yet, by what they would count for if they were declined.
export type OpenTries = { readonly [Name in keyof TryCounts]?: number }

// closed: this form takes no more. blocked: not from here, or not with this card, for a while. later: not
// before it is known what comes of others.
export type TryVerdict = 'free' | 'puzzle' | 'later' | 'blocked' | 'closed'

// Many who pay at once from one network, or by one link, have done nothing wrong: what is open makes them
// work at most. Nobody pays so many forms at once with one card.
export function judgeTry(counts: TryCounts, open: OpenTries): TryVerdict {
  const blocking = names.find((name) => counts[name] >= thresholds[name].block)
  if (blocking) return blocking === 'ofForm' || blocking === 'otherCardsOfForm' ? 'closed' : 'blocked'
  const atWorst = (name: keyof TryCounts): number => counts[name] + (open[name] ?? 0)
  if (atWorst('declinesOfCardInDay') >= thresholds.declinesOfCardInDay.block) return 'later'
  return names.some((name) => atWorst(name) >= thresholds[name].puzzle) ? 'puzzle' : 'free'
}

// Leading zero bits of a digest: about a second of work on a phone.
export const puzzleBits = 15

export function hasLeadingZeros(digest: Uint8Array, bits: number): boolean {
  const whole = Math.floor(bits / 8)
  const rest = bits % 8
  return digest.subarray(0, whole).every((byte) => byte === 0) && (digest[whole] ?? 255) >> (8 - rest) === 0
}
