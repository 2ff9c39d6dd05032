import {
  type CountedKind,
  countedKinds,
  holderOf,
  noTries,
  spans,
  type TrySum,
  type TrySums,
} from '#engine/card-tries/card-counts.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'

// A card that is about to be charged or verified.
export type CardTry = {
  readonly account: AccountId
  readonly merchant: MerchantNumber
  // Of the card or bank account; or what stands for a card on file.
  readonly digits: string
  // Whose digits begin with those of its issuer.
  readonly isCard: boolean
  // The card is only verified.
  readonly isZero: boolean
  // Everyone who finds a form can have cards declined there, which must not stop the calls of its merchant.
  readonly isOnForm?: true
}

// By which names a try is known in this process; null: it does not count for that.
export type TryMarks = Readonly<Record<CountedKind, string | null>>

// Cards are known by their first eight and last four digits, because a keyed digest costs more than the
// whole judgement may. Only a card that shares them with a declined one is compared by its digest.
export function marksOf({ account, merchant, digits, isCard, isZero, isOnForm }: CardTry): TryMarks {
  const bin = digits.slice(0, 8)
  return {
    // Of a bank account the last digits are enough, too.
    card: isCard ? `${bin}${digits.slice(-4)}` : digits.replace(/^\d+(?=\d{4}$)/, 'account '),
    bin: isCard ? `${account}:${merchant}:${bin}` : null,
    // Cards on file are the merchant's own, and collecting from them is not testing.
    account: isCard ? `${account}${isOnForm ? ' forms' : ''}` : null,
    zero: isZero ? `${account} zero` : null,
  }
}

type Known = TrySum & { readonly untilMs: number }
// Counted in place, because each charge does it.
type Approved = { tries: number; readonly untilMs: number }

const entriesMax = 50_000

// What this process knows of cards that are tried. It reads nothing before a charge: each decline is counted
// in the database for all processes, and brings back what all have counted. So each process lets one try more
// through of what others have seen, and none of what it has seen itself.
export class CardMemory {
  readonly #known = new Map<string, Known>()
  // Since the last decline, so not in the database yet.
  readonly #approved = new Map<string, Approved>()
  readonly #open = new Map<string, number>()
  readonly #declinedMarks = new Set<string>()

  // Seconds for which the card is not to be tried; null: it may be, and leave() follows.
  enter(marks: TryMarks, digest: () => string, nowMs: number): number | null {
    const key = this.#declinedMarks.has(`${marks.card}`) ? digest() : null
    const sums = this.#sums(marks, key, nowMs)
    const holder = holderOf(sums)
    if (holder) return this.#secondsLeft(holder === 'card' ? key : nameOf(holder, marks), nowMs)
    if (holderOf(this.#atWorst(sums, marks))) return 1
    this.#addOpen(marks, 1)
    return null
  }

  leave(marks: TryMarks): void {
    this.#addOpen(marks, -1)
  }

  approve(marks: TryMarks, nowMs: number): void {
    for (const kind of approvable) {
      const name = nameOf(kind, marks)
      if (name === null) continue
      const before = current(this.#approved, name, nowMs)
      if (before) before.tries += 1
      else remember(this.#approved, name, { tries: 1, untilMs: nowMs + spans[kind].window * 1_000 })
    }
  }

  // Approvals that are to be counted with the decline of the same kind, once.
  takeApproved(kind: CountedKind, marks: TryMarks, nowMs: number): number {
    const name = nameOf(kind, marks)
    if (name === null) return 0
    const approved = current(this.#approved, name, nowMs)
    this.#approved.delete(name)
    return approved?.tries ?? 0
  }

  // Answers whether the card, or others like it, are held back from now on, and by what.
  learn(marks: TryMarks, digest: string | null, sums: TrySums, nowMs: number): CountedKind | null {
    const wasHeld = holderOf(this.#sums(marks, digest, nowMs))
    for (const kind of countedKinds) {
      const name = kind === 'card' ? digest : nameOf(kind, marks)
      const untilMs = nowMs + spans[kind].window * 1_000
      if (name !== null && sums[kind].tries > 0) remember(this.#known, name, { ...sums[kind], untilMs })
    }
    if (sums.card.declines > 0) this.#declinedMarks.add(`${marks.card}`)
    if (this.#declinedMarks.size > 2 * entriesMax) this.#forget()
    return wasHeld ? null : holderOf(this.#sums(marks, digest, nowMs))
  }

  #forget(): void {
    this.#known.clear()
    this.#declinedMarks.clear()
  }

  #sums(marks: TryMarks, card: string | null, nowMs: number): TrySums {
    return {
      card: this.#sum(card, nowMs),
      bin: this.#sum(nameOf('bin', marks), nowMs),
      account: this.#sum(nameOf('account', marks), nowMs),
      zero: this.#sum(nameOf('zero', marks), nowMs),
    }
  }

  #sum(name: string | null, nowMs: number): TrySum {
    if (name === null) return noTries
    const { tries, declines, invalid } = current(this.#known, name, nowMs) ?? noTries
    const approved = current(this.#approved, name, nowMs)
    return { tries: tries + (approved?.tries ?? 0), declines, invalid }
  }

  // As if all that are under way were declined: of many that come at once no more get through than of those
  // that come one after the other. A card on file may be charged many times at once, and many may pay at
  // once with cards of one issuer: their tries under way count once most of the finished ones are declined.
  #atWorst(sums: TrySums, marks: TryMarks): TrySums {
    const withOpen = (kind: CountedKind): TrySum => {
      const name = nameOf(kind, marks)
      const open = (name !== null && this.#open.get(name)) || 0
      const { tries, declines, invalid } = sums[kind]
      return open > 0 ? { tries: tries + open, declines: declines + open, invalid } : sums[kind]
    }
    const { card, bin, account } = sums
    const isTyped = marks.bin !== null
    return {
      card: isTyped || card.declines > 0 ? withOpen('card') : card,
      bin: isMostlyDeclined(bin) ? withOpen('bin') : bin,
      account,
      zero: withOpen('zero'),
    }
  }

  #secondsLeft(name: string | null, nowMs: number): number {
    const untilMs = (name !== null && this.#known.get(name)?.untilMs) || nowMs
    return Math.max(1, Math.ceil((untilMs - nowMs) / 1_000))
  }

  #addOpen(marks: TryMarks, change: number): void {
    for (const kind of openKinds) {
      const name = nameOf(kind, marks)
      if (name === null) continue
      const open = (this.#open.get(name) ?? 0) + change
      if (open > 0) this.#open.set(name, open)
      else this.#open.delete(name)
    }
  }
}

const enoughOfIssuer = 10

function isMostlyDeclined({ tries, declines }: TrySum): boolean {
  return tries >= enoughOfIssuer && declines * 5 > tries * 4
}

const approvable: readonly CountedKind[] = ['bin', 'account']
const openKinds: readonly CountedKind[] = ['card', 'bin', 'zero']

function nameOf(kind: CountedKind, marks: TryMarks): string | null {
  const mark = marks[kind]
  return kind === 'card' && mark !== null ? `card ${mark}` : mark
}

type Passing = { readonly untilMs: number }

function current<One extends Passing>(
  memory: ReadonlyMap<string, One>,
  name: string,
  nowMs: number,
): One | null {
  const known = memory.get(name)
  return known && nowMs < known.untilMs ? known : null
}

function remember<One extends Passing>(memory: Map<string, One>, name: string, known: One): void {
  memory.delete(name)
  const [oldest] = memory.size >= entriesMax ? memory.keys() : []
  if (oldest !== undefined) memory.delete(oldest)
  memory.set(name, known)
}
