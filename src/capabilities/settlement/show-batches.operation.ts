import type { CompanionItem } from '#capabilities/settlement/batch-companion.ts'
import { type BatchItem, listBatchItems } from '#capabilities/settlement/batch-item.store.ts'
import { findBatch, findBatchNumbered, listBatchesOf } from '#capabilities/settlement/batch.store.ts'
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

// All that is in a batch, the cards first.
export async function showBatch(
  { db, batchCompanions }: Pick<SettlementNeeds, 'db' | 'batchCompanions'>,
  { account, batch }: { readonly account: AccountId; readonly batch: bigint },
): Promise<{ readonly batch: Batch; readonly items: readonly CompanionItem[] } | null> {
  const found = await findBatch(db, { account, batch: batchId(batch) })
  if (!found) return null
  const cards = await listBatchItems(db, found.batchId)
  const others = await Promise.all(batchCompanions.map((companion) => companion.list(db, found.batchId)))
  return { batch: found, items: [...cards.map(shownCard), ...others.flat()] }
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
