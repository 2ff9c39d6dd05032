import { type BookComparison, compareBooks, insertPostings } from '#engine/ledger/posting.store.ts'
import { type Posting, postingFor } from '#engine/ledger/posting.ts'
import type { Move } from '#engine/payments/attempt.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'

// Part of T2.
export async function postMoves(tx: Tx, moves: readonly Move[], at: Temporal.Instant): Promise<void> {
  const postings = moves.map(postingFor).filter((posting) => posting !== null)
  if (postings.length > 0) await insertPostings(tx, postings, at)
}

// For what happens to a payment after its attempt, such as a dispute. Part of the transaction that says so.
export async function postEntries(tx: Tx, postings: readonly Posting[], at: Temporal.Instant): Promise<void> {
  if (postings.length > 0) await insertPostings(tx, postings, at)
}

// The trial balance: for every currency, postings say what approved attempts say, and nothing else.
export async function verifyLedger(
  db: Queryable,
): Promise<{ readonly isSound: boolean; readonly lines: readonly BookComparison[] }> {
  const lines = await compareBooks(db)
  return {
    isSound: lines.every(({ posted, expected, orphans }) => posted === expected && orphans === 0n),
    lines,
  }
}
