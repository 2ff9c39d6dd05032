// How often something was tried, as far as it says that somebody tries stolen cards. Counted before the try
// that is judged.
export type TryCounts = {
  readonly ofForm: number
  // Other cards than the one that is tried now.
  readonly otherCardsOfForm: number
  readonly declinesOfNetworkInHour: number
  readonly declinesOfCardInDay: number
}

type Threshold = { readonly puzzle: number; readonly block: number }

const thresholds: Readonly<Record<keyof TryCounts, Threshold>> = {
  ofForm: { puzzle: 3, block: 5 },
  otherCardsOfForm: { puzzle: 2, block: 3 },
  declinesOfNetworkInHour: { puzzle: 5, block: 15 },
  declinesOfCardInDay: { puzzle: 4, block: 8 },
}

// closed: this form takes no more. blocked: not from here, or not with this card, for a while.
export type TryVerdict = 'free' | 'puzzle' | 'blocked' | 'closed'

export function judgeTry(counts: TryCounts): TryVerdict {
  const names: readonly (keyof TryCounts)[] = [
    'ofForm',
    'otherCardsOfForm',
    'declinesOfNetworkInHour',
    'declinesOfCardInDay',
  ]
  const blocking = names.find((name) => counts[name] >= thresholds[name].block)
  if (blocking) return blocking === 'ofForm' || blocking === 'otherCardsOfForm' ? 'closed' : 'blocked'
  return names.some((name) => counts[name] >= thresholds[name].puzzle) ? 'puzzle' : 'free'
}

// Leading zero bits of a digest: about a second of work on a phone.
export const puzzleBits = 15

export function hasLeadingZeros(digest: Uint8Array, bits: number): boolean {
  const whole = Math.floor(bits / 8)
  const rest = bits % 8
  return digest.subarray(0, whole).every((byte) => byte === 0) && (digest[whole] ?? 255) >> (8 - rest) === 0
}
