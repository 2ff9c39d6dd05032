import type { Batch, BatchId } from '#capabilities/settlement/batch.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
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
  // Inside the closing transaction, with the record held still: takes its unsettled items (or the named ones
  // among them) into the batch, set-based.
  join(tx: Tx, joining: Joining): Promise<Joined>
  // Inside the transaction that records that the acquirer accepted the batch; writes its file, for example.
  accepted(tx: Tx, batch: Batch, at: Temporal.Instant): Promise<void>
  // Its items that are in no batch yet.
  sumUnsettled(db: Queryable, record: SettlingRecord): Promise<Joined>
}

export type Recognized = {
  readonly id: bigint
  // Why it cannot be settled; empty when it can.
  readonly problem: string
}

export type Joining = {
  readonly batchId: BatchId
  readonly record: SettlingRecord
  // null: everything that is unsettled.
  readonly ids: readonly bigint[] | null
  readonly at: Temporal.Instant
}

export type SettlementNeeds = { readonly batchCompanions: readonly BatchCompanion[] }
