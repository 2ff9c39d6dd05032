import type { MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'

// A debit or credit of a bank account as people find it.
export type FoundBankTransaction = {
  readonly transactionId: bigint
  readonly merchantNumber: MerchantNumber
  readonly kind: string
  readonly status: string
  readonly total: Money
  // What credits have given back.
  readonly credited: Money
  readonly parentId: bigint | null
  readonly lastFour: string
  readonly isSavings: boolean
  readonly isBusiness: boolean
  readonly holderFirstName: string
  readonly holderLastName: string
  readonly customerFirstName: string
  readonly customerLastName: string
  readonly authorizationId: string
  readonly reference: string
  readonly clientRef: string
  readonly guid: string
  readonly origin: string
  readonly userId: string
  // Why its bank has sent it back; empty when it has not.
  readonly returnCode: string
  readonly batch: { readonly batchId: bigint; readonly batchNumber: number } | null
  readonly settledAt: Temporal.Instant | null
  readonly resolvedAt: Temporal.Instant | null
  readonly createdAt: Temporal.Instant
}
