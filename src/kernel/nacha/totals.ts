import { isDebit, type NachaEntry } from '#kernel/nacha/nacha-file.ts'

// What control lines say about the entries before them.
export type Totals = {
  // Entries and addenda.
  readonly entryCount: number
  // The first eight digits of all routing numbers, added up; only the last ten digits of the sum count.
  readonly hash: bigint
  readonly debits: bigint
  readonly credits: bigint
}

export const noTotals: Totals = { entryCount: 0, hash: 0n, debits: 0n, credits: 0n }

const hashRange = 10_000_000_000n

export function totalsOf(entries: readonly NachaEntry[]): Totals {
  return entries.map(totalsOfEntry).reduce(addTotals, noTotals)
}

function totalsOfEntry({ addenda, routingNumber, transactionCode, amountMinor }: NachaEntry): Totals {
  return {
    entryCount: addenda ? 2 : 1,
    hash: BigInt(routingNumber.slice(0, 8)),
    debits: isDebit(transactionCode) ? amountMinor : 0n,
    credits: isDebit(transactionCode) ? 0n : amountMinor,
  }
}

export function addTotals(left: Totals, right: Totals): Totals {
  return {
    entryCount: left.entryCount + right.entryCount,
    hash: (left.hash + right.hash) % hashRange,
    debits: left.debits + right.debits,
    credits: left.credits + right.credits,
  }
}
