import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { Currency } from '#kernel/currency.ts'
import type { AccountId, Branded, MerchantNumber } from '#kernel/ids.ts'
import { type Money, printWithCurrency, subtractMoney } from '#kernel/money.ts'

export type BatchId = Branded<bigint, 'BatchId'>
export const batchId = (value: bigint): BatchId => value as BatchId

// What is not settled yet is the open batch of its record; it becomes a row when it is closed.
export type BatchState = 'closing' | 'sent' | 'accepted' | 'rejected' | 'unknown' | 'released'

// Transactions of one merchant record that are settled together, or not at all. Once closed it is never
// changed: it is sent, asked for and sent again as the same group until the acquirer has accepted it, or an
// operator has released it.
export type Batch = {
  readonly batchId: BatchId
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  // Counts up within the account.
  readonly batchNumber: number
  readonly state: BatchState
  readonly ref: AcquirerRef
  // Stands on every transaction of the batch.
  readonly lock: string
  readonly currency: Currency
  readonly itemCount: number
  readonly sales: Money
  readonly credits: Money
  // What the card acquirer is told of it; the rest are other items that settle with it.
  readonly cardCount: number
  readonly cardNet: Money
  readonly contentHash: string
  readonly resultCode: string
  readonly fence: number
  readonly createdBy: string
  readonly openedAt: Temporal.Instant
  readonly closedAt: Temporal.Instant
  readonly finishedAt: Temporal.Instant | null
}

export function netOf({ sales, credits }: Pick<Batch, 'sales' | 'credits'>): Money {
  return subtractMoney(sales, credits)
}

export function contentOf(batch: Batch): string {
  const items = batch.itemCount === 1 ? '1 transaction' : `${batch.itemCount} transactions`
  return `${items}, ${printWithCurrency(netOf(batch))}`
}

// What a caller is told about a batch once the acquirer has said yes or no.
export type Settled = {
  readonly batch: Batch
  readonly isAccepted: boolean
  readonly resultCode: string
  // Of the same record, after this batch.
  readonly remaining: number
  readonly timeZone: string
  // An earlier call with the same key led to it.
  readonly isRepeat: boolean
}

// In place of how many are left, when that is not known.
export const uncounted = -1

// There was nothing to settle, but something may be left: it was not named, or cannot be settled now.
export type NothingSettled = { readonly batch: null; readonly remaining: number }

// What a caller is told who was refused. Without a batch: none was closed, and none was under way.
export type NotSettled = {
  readonly batch: Batch | null
  readonly timeZone: string
  readonly remaining: number
}
