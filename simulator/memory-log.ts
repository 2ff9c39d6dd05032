import { randomBytes } from 'node:crypto'
import type { BankLog } from './bank-log.ts'
import { Books } from './books.ts'

type Memory = { readonly keepsRows?: boolean; readonly standingsMax?: number }

// Forgets everything with its process: for benchmarks and small tests. Without rows it only knows what
// stands, and with a limit only what was written last.
export function openMemoryLog({ keepsRows = true, standingsMax = Infinity }: Memory = {}): BankLog {
  const books = new Books({ keepsRows, standingsMax })
  return {
    key: randomBytes(32),
    file: async (entry) => books.apply(entry),
    refusalsInARow: async (mark) => books.refusalsInARow(mark),
    read: async (query) => books.read(query),
    async *report(from, to) {
      yield* books.report(from, to)
    },
    async *disputes(from, to) {
      yield* books.disputes(from, to)
    },
    close: async () => undefined,
  }
}
