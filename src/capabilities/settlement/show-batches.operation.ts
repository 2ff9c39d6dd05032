import type { CompanionItem } from '#capabilities/settlement/batch-companion.ts'
import { type BatchItem, listBatchItems } from '#capabilities/settlement/batch-item.store.ts'
import { findRelease, type Release } from '#capabilities/settlement/batch-release.store.ts'
import {
  findBatch,
  findBatchNumbered,
  listBatchesOf,
  listRejectedBatches,
  type RejectedBatch,
} from '#capabilities/settlement/batch.store.ts'
import { type Batch, batchId } from '#capabilities/settlement/batch.ts'
import { type Closing, listClosings } from '#capabilities/settlement/close-day.operation.ts'
import { findUnsettled, type Unsettled } from '#capabilities/settlement/find-unsettled.operation.ts'
import type { SettlementNeeds } from '#capabilities/settlement/settle.operation.ts'
import { nextCutOff } from '#capabilities/settlement/settlement-plan.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'

// What the column holds.
const batchNumberMax = 2 ** 31 - 1

type Asked = {
  readonly account: AccountId
  readonly merchant: MerchantNumber | null
  readonly most: number
}

// Newest first.
export function listBatches({ db }: Pick<SettlementNeeds, 'db'>, asked: Asked): Promise<readonly Batch[]> {
  return listBatchesOf(db, asked)
}

export type ShownBatch = {
  readonly batch: Batch
  readonly items: readonly CompanionItem[]
  // null: it is not released.
  readonly release: Release | null
}

// All that is in a batch, the cards first.
export async function showBatch(
  { db, batchCompanions }: Pick<SettlementNeeds, 'db' | 'batchCompanions'>,
  { account, batch }: { readonly account: AccountId; readonly batch: bigint },
): Promise<ShownBatch | null> {
  const found = await findBatch(db, { account, batch: batchId(batch) })
  if (!found) return null
  const cards = await listBatchItems(db, found.batchId)
  const others = await Promise.all(batchCompanions.map((companion) => companion.list(db, found.batchId)))
  const release = found.state === 'released' ? await findRelease(db, found.batchId) : null
  return { batch: found, items: [...cards.map(shownCard), ...others.flat()], release }
}

// Of all accounts, oldest first: each keeps its merchant record from settling anything else.
export function findRejectedBatches(
  { db }: Pick<SettlementNeeds, 'db'>,
  most: number,
): Promise<readonly RejectedBatch[]> {
  return listRejectedBatches(db, most)
}

// Lists and errors speak of the number of a batch, which is easily taken for its id.
export async function findBatchByNumber(
  { db }: Pick<SettlementNeeds, 'db'>,
  asked: { readonly account: AccountId; readonly number: number },
): Promise<Batch | null> {
  return asked.number > batchNumberMax ? null : findBatchNumbered(db, asked)
}

function shownCard({ paymentId: id, isCredit, totalMinor, ref }: BatchItem): CompanionItem {
  return { id, kind: isCredit ? 'credit' : 'sale', totalMinor, ref }
}

// What the next close of a record would settle, as things stand now.
export type Forecast = Pick<Closing, 'merchant' | 'isAutomatic'> &
  Pick<Unsettled, 'count' | 'unfinished'> & {
    // null: it closes only when somebody calls.
    readonly closesAt: Temporal.Instant | null
    readonly net: Money
  }

export async function forecastBatches(
  needs: SettlementNeeds,
  account: AccountId,
): Promise<readonly Forecast[]> {
  const now = needs.accountClock.now(account)
  const closings = await listClosings(needs, account)
  return Promise.all(
    closings.map(async (closing) => {
      const { merchant, isAutomatic, closesAt } = closing
      const { timeZone, currency } = merchant
      const { count, salesMinor, creditsMinor, unfinished } = await findUnsettled(needs, closing)
      return {
        merchant,
        isAutomatic,
        closesAt: isAutomatic ? nextCutOff({ closesAt, timeZone }, now) : null,
        count,
        net: { minor: salesMinor - creditsMinor, currency },
        unfinished,
      }
    }),
  )
}
