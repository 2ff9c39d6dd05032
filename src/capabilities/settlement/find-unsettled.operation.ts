import type { Joined } from '#capabilities/settlement/batch-companion.ts'
import { sumUnsettled } from '#capabilities/settlement/batch-item.store.ts'
import { findUnfinishedBatch } from '#capabilities/settlement/batch.store.ts'
import type { Batch } from '#capabilities/settlement/batch.ts'
import type { SettlementNeeds } from '#capabilities/settlement/settle.operation.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { earliestOf } from '#kernel/calendar.ts'

export type Unsettled = Joined & {
  // A group that was not accepted and goes first, alone.
  readonly unfinished: Batch | null
}

type PlannedRecord = { readonly merchant: Merchant; readonly settledBelow: bigint }

// What a record would settle now, whichever way it travels.
export async function findUnsettled(
  needs: SettlementNeeds,
  { merchant: record, settledBelow: from }: PlannedRecord,
): Promise<Unsettled> {
  const { db, batchCompanions } = needs
  const [unfinished, ...parts] = await Promise.all([
    findUnfinishedBatch(db, record),
    sumUnsettled(db, { record, from }),
    ...batchCompanions.map((companion) => companion.sumUnsettled(db, record)),
  ])
  return {
    unfinished,
    count: parts.reduce((sum, { count }) => sum + count, 0),
    salesMinor: parts.reduce((sum, { salesMinor }) => sum + salesMinor, 0n),
    creditsMinor: parts.reduce((sum, { creditsMinor }) => sum + creditsMinor, 0n),
    oldestAt: earliestOf(parts.map(({ oldestAt }) => oldestAt)),
  }
}

// Since when something waits for the record's next close; null when nothing does.
export async function waitsSince(
  needs: SettlementNeeds,
  record: PlannedRecord,
): Promise<Temporal.Instant | null> {
  const { unfinished, oldestAt } = await findUnsettled(needs, record)
  return earliestOf([unfinished?.openedAt ?? null, oldestAt])
}
