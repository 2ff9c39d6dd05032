// How often cards were tried and declined lately.
export type TrySum = {
  readonly tries: number
  readonly declines: number
  // Of the declines, those because the card itself was wrong.
  readonly invalid: number
}

export const noTries: TrySum = { tries: 0, declines: 0, invalid: 0 }

// What is counted of a card: the card itself, cards with the same first eight digits at a merchant record,
// all cards of an account, and the cards that an account only verifies.
export const countedKinds = ['card', 'bin', 'account', 'zero'] as const
export type CountedKind = (typeof countedKinds)[number]
export type TrySums = Readonly<Record<CountedKind, TrySum>>

// A count is kept in portions of so many seconds, and counts for so many.
export const spans: Readonly<Record<CountedKind, { readonly portion: number; readonly window: number }>> = {
  card: { portion: 3_600, window: 86_400 },
  bin: { portion: 60, window: 600 },
  account: { portion: 300, window: 3_600 },
  zero: { portion: 10, window: 60 },
}

// How far the tries of cards look like card testing. Counted before the try that is judged.
export type CardCounts = {
  readonly declinesOfCardInDay: number
  // 0 unless more than four of five are declined.
  readonly declinedBinTriesInTenMinutes: number
  // Of 100 tries of the account, rounded up; 0 below 100 tries.
  readonly invalidPercentInHour: number
  readonly zeroTriesInMinute: number
}

export type Threshold = { readonly puzzle: number; readonly block: number }

// puzzle: from then on a browser has to work first. A call has no browser, so block alone binds it.
export const cardThresholds: Readonly<Record<keyof CardCounts, Threshold>> = {
  declinesOfCardInDay: { puzzle: 4, block: 8 },
  declinedBinTriesInTenMinutes: { puzzle: 20, block: 50 },
  invalidPercentInHour: { puzzle: 11, block: 21 },
  zeroTriesInMinute: { puzzle: 30, block: 120 },
}

export function cardCounts({ card, bin, account, zero }: TrySums): CardCounts {
  return {
    declinesOfCardInDay: card.declines,
    declinedBinTriesInTenMinutes: triesIfMostlyDeclined({ part: bin.declines, of: bin.tries }),
    invalidPercentInHour: percentOf({ part: account.invalid, of: account.tries }),
    zeroTriesInMinute: zero.tries,
  }
}

const blockers: readonly (readonly [keyof CardCounts, CountedKind])[] = [
  ['declinesOfCardInDay', 'card'],
  ['declinedBinTriesInTenMinutes', 'bin'],
  ['invalidPercentInHour', 'account'],
  ['zeroTriesInMinute', 'zero'],
]

// What holds the next try back; null: nothing does.
export function holderOf(sums: TrySums): CountedKind | null {
  const counts = cardCounts(sums)
  return blockers.find(([name]) => counts[name] >= cardThresholds[name].block)?.[1] ?? null
}

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
