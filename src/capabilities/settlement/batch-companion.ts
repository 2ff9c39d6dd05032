import type { Batch, BatchId } from '#capabilities/settlement/batch.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import type { Result } from '#kernel/result.ts'
import type { Queryable, Tx } from '#platform/postgres/database.ts'

export type SettlingRecord = {
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly currency: string
}

// What joins a batch, or would.
export type Joined = {
  readonly count: number
  readonly salesMinor: bigint
  readonly creditsMinor: bigint
  readonly oldestAt: Temporal.Instant | null
}

// Other items of a merchant record that settle together with its card transactions, such as bank debits. They
// count in the batch and share its number, lock and fate, but travel their own way. Listed in
// capabilities/batch-companions.ts.
export type BatchCompanion = {
  readonly name: string
  // Which of the named transactions are its own; an order by ids is checked before anything is taken.
  recognize(db: Queryable, record: SettlingRecord, ids: readonly bigint[]): Promise<readonly Recognized[]>
  // Inside the closing transaction, with the record held still and nothing taken yet: which of its unsettled
  // items (or of the named ones) go into the batch, compared with the books. What cannot travel stays where
  // it is; if it was named, the whole list is refused.
  choose(tx: Tx, choosing: Choosing): Promise<Result<readonly bigint[], 'books_disagree' | 'not_settleable'>>
  // Takes what was chosen in the same transaction, set-based.
  join(tx: Tx, joining: Joining): Promise<Joined>
  // Each time before the batch is sent: makes and keeps all that its acceptance needs, so that nothing can go
  // wrong after the acquirer said yes. Answers why it cannot be sent, for the log; empty when it can.
  prepare(tx: Tx, batch: Batch, at: Temporal.Instant): Promise<string>
  // Inside the transaction that records that the acquirer accepted the batch: only says so.
  accepted(tx: Tx, batch: Batch, at: Temporal.Instant): Promise<void>
  // Inside the transaction that releases the batch: its items are in no batch again, and what was prepared
  // goes nowhere.
  giveBack(tx: Tx, batchId: BatchId, at: Temporal.Instant): Promise<GivenBack>
  // Its items of a batch, for people.
  list(db: Queryable, batchId: BatchId): Promise<readonly CompanionItem[]>
  // Its items that are in no batch yet.
  sumUnsettled(db: Queryable, record: SettlingRecord): Promise<Joined>
}

export type GivenBack = {
  // How many there were.
  readonly count: number
  // Of those, what must not be sent any more and was voided instead.
  readonly voidedCount: number
}

export type CompanionItem = {
  readonly id: bigint
  readonly kind: string
  readonly totalMinor: bigint
  readonly ref: string
}

// The closing transaction lets a statement take a minute; whoever joins it waits a little longer for its
// answers.
export const longestCloseMs = 65_000

export type Recognized = {
  readonly id: bigint
  // Why it cannot be settled; empty when it can.
  readonly problem: string
}

export type Choosing = {
  readonly record: SettlingRecord
  // null: everything that is unsettled.
  readonly ids: readonly bigint[] | null
}

export type Joining = {
  readonly batchId: BatchId
  readonly chosen: readonly bigint[]
  readonly at: Temporal.Instant
}

export type SettlementNeeds = { readonly batchCompanions: readonly BatchCompanion[] }
