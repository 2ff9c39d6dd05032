// How often something was tried, as far as it says that somebody tries stolen cards. Counted before the try
// that is judged.
export type TryCounts = {
  readonly ofForm: number
  // Other cards than the one that is tried now.
  readonly otherCardsOfForm: number
  readonly declinesOfNetworkInHour: number
  readonly declinesOfCardInDay: number
  // Of all visits to the link that leads to the form, however many forms they have; 0 where there is none.
  // Approvals do not count, because many may pay such a link.
  readonly declinesOfLinkInHour: number
  readonly declinesOfLinkFromNetworkInHour: number
  // Cards that begin with the same eight digits, of one merchant record, while more than four of five are
  // declined; 0 otherwise.
  readonly declinedBinTriesInTenMinutes: number
  // Of 100 tries of the merchant record those with a wrong number, expiry or code, rounded up; 0 below 100
  // tries.
  readonly invalidPercentInHour: number
  // Cards that were only asked about, of the account.
  readonly zeroTriesInMinute: number
}

type Threshold = { readonly puzzle: number; readonly block: number }

const thresholds: Readonly<Record<keyof TryCounts, Threshold>> = {
  ofForm: { puzzle: 3, block: 5 },
  otherCardsOfForm: { puzzle: 2, block: 3 },
  declinesOfNetworkInHour: { puzzle: 5, block: 15 },
  declinesOfCardInDay: { puzzle: 4, block: 8 },
  declinesOfLinkInHour: { puzzle: 3, block: 15 },
  declinesOfLinkFromNetworkInHour: { puzzle: 3, block: 5 },
  declinedBinTriesInTenMinutes: { puzzle: 20, block: 50 },
  invalidPercentInHour: { puzzle: 11, block: 21 },
  zeroTriesInMinute: { puzzle: 30, block: 120 },
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

const invalidCodes: ReadonlySet<string> = new Set(['14', '54', '82', 'N7'])

// Declined because the card itself was wrong: its number, its expiry or its code.
export function isInvalidCard(resultCode: string): boolean {
  return invalidCodes.has(resultCode)
}

type Share = { readonly part: number; readonly of: number }

export function triesIfMostlyDeclined({ part, of }: Share): number {
  return part * 5 > of * 4 ? of : 0
}

const enoughTries = 100

export function percentOf({ part, of }: Share): number {
  return of < enoughTries ? 0 : Math.ceil((part * 100) / of)
}

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
