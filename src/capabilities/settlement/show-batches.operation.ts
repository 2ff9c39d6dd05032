import { type BatchItem, listBatchItems, sumUnsettled } from '#capabilities/settlement/batch-item.store.ts'
import { findBatch, findUnfinishedBatch, listBatchesOf } from '#capabilities/settlement/batch.store.ts'
import { type Batch, batchId } from '#capabilities/settlement/batch.ts'
import { type Closing, listClosings } from '#capabilities/settlement/close-day.operation.ts'
import type { SettlementNeeds } from '#capabilities/settlement/settle.operation.ts'
import { nextCutOff } from '#capabilities/settlement/settlement-plan.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'

type Asked = {
  readonly account: AccountId
  readonly merchant: MerchantNumber | null
  readonly most: number
}

// Newest first.
export function listBatches({ db }: Pick<SettlementNeeds, 'db'>, asked: Asked): Promise<readonly Batch[]> {
  return listBatchesOf(db, asked)
}

export async function showBatch(
  { db }: Pick<SettlementNeeds, 'db'>,
  { account, batch }: { readonly account: AccountId; readonly batch: bigint },
): Promise<{ readonly batch: Batch; readonly items: readonly BatchItem[] } | null> {
  const found = await findBatch(db, { account, batch: batchId(batch) })
  return found && { batch: found, items: await listBatchItems(db, found.batchId) }
}

// What the next close of a record would settle, as things stand now.
export type Forecast = Pick<Closing, 'merchant' | 'isAutomatic'> & {
  // null: it closes only when somebody calls.
  readonly closesAt: Temporal.Instant | null
  readonly count: number
  readonly net: Money
  // A group that was not accepted and goes first, alone.
  readonly unfinished: Batch | null
}

export async function forecastBatches(
  needs: SettlementNeeds,
  account: AccountId,
): Promise<readonly Forecast[]> {
  const now = needs.accountClock.now(account)
  const closings = await listClosings(needs, account)
  return Promise.all(
    closings.map(async ({ merchant, isAutomatic, closesAt, settledBelow: from }) => {
      const { timeZone, currency } = merchant
      const sums = await sumUnsettled(needs.db, { record: merchant, from })
      return {
        merchant,
        isAutomatic,
        closesAt: isAutomatic ? nextCutOff({ closesAt, timeZone }, now) : null,
        count: sums.count,
        net: { minor: sums.salesMinor - sums.creditsMinor, currency },
        unfinished: await findUnfinishedBatch(needs.db, merchant),
      }
    }),
  )
}
