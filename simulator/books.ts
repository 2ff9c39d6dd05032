import type { Entry, Filed, LogQuery, LogRow, Standing } from './bank-log.ts'
import { judge, refsTouchedBy } from './judge.ts'

// What stands, held in memory: the whole of the memory log, and what a file log rebuilds when it is opened.
export class Books {
  readonly #standings = new Map<string, Standing>()
  // Goes on where it stopped; a fresh one would step over everything that was ever forgotten.
  readonly #fromOldest = this.#standings.keys()
  readonly #refusals = new Map<string, number>()
  readonly #rows: LogRow[] = []
  readonly #keepsRows: boolean
  readonly #standingsMax: number

  constructor({ keepsRows, standingsMax = Infinity }: { keepsRows: boolean; standingsMax?: number }) {
    this.#keepsRows = keepsRows
    this.#standingsMax = standingsMax
  }

  apply(entry: Entry): Filed {
    const touched = new Map<string, Standing>()
    for (const ref of refsTouchedBy(entry)) {
      const standing = this.#standings.get(ref)
      if (standing) touched.set(ref, standing)
    }
    const { writes, ...filed } = judge(entry, touched)
    for (const standing of writes) {
      const isNew = !touched.has(standing.ref)
      this.#standings.set(standing.ref, standing)
      if (isNew && standing.card && standing.refusalsInARow !== null) {
        this.#refusals.set(standing.card.mark, standing.refusalsInARow)
      }
    }
    this.#forgetOldest()
    if (this.#keepsRows) this.#rows.push(rowFrom(entry, filed, BigInt(this.#rows.length + 1)))
    return filed
  }

  #forgetOldest(): void {
    if (this.#standings.size <= this.#standingsMax) return
    const { value: oldest = '' } = this.#fromOldest.next()
    this.#standings.delete(oldest)
  }

  refusalsInARow(mark: string): number {
    return this.#refusals.get(mark) ?? 0
  }

  read({ ref, last }: LogQuery): readonly LogRow[] {
    const asked = ref === undefined ? this.#rows : this.#rows.filter((row) => row.ref === ref)
    return asked.slice(-last).toReversed()
  }

  *disputes(from: Temporal.Instant, to: Temporal.Instant): Iterable<Standing> {
    for (const standing of this.#standings.values())
      if (isDisputed(standing) && isWithin(standing.chargebackAt, [from, to])) yield standing
  }

  *report(from: Temporal.Instant, to: Temporal.Instant): Iterable<Standing> {
    for (const standing of this.#standings.values()) {
      const isIn =
        Temporal.Instant.compare(standing.at, from) >= 0 && Temporal.Instant.compare(standing.at, to) < 0
      if (isIn && isReported(standing)) yield standing
    }
  }
}

function isWithin(at: Temporal.Instant | null, [from, to]: readonly Temporal.Instant[]): boolean {
  if (!at || !from || !to) return false
  return Temporal.Instant.compare(at, from) >= 0 && Temporal.Instant.compare(at, to) < 0
}

function isReported({ kind }: Standing): boolean {
  return kind === 'sale' || kind === 'verification' || kind === 'refund'
}

// What was given back needs no taking back.
function isDisputed({ chargebackAt, reply, reversedAt, refundedMinor }: Standing): boolean {
  return chargebackAt !== null && reply.outcome === 'approved' && reversedAt === null && refundedMinor === 0n
}

export function rowFrom(entry: Entry, { reply, reason, isRepeat }: Filed, sequence: bigint): LogRow {
  const { at, verb, ref, original, terminalId, card, amountMinor, feeMinor, currency } = entry
  const told = { ...reply, currency: reply.currency === '' ? currency : reply.currency }
  return {
    sequence,
    at,
    verb,
    ref,
    original,
    terminalId,
    card,
    amountMinor,
    feeMinor,
    reply: told,
    reason,
    isRepeat,
  }
}
