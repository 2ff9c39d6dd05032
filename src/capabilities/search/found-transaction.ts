import type { BatchState } from '#capabilities/settlement/batch.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'

export type TransactionStatus = 'open' | 'pending' | 'settled' | 'failed' | 'locked' | 'void'

// The batch that a transaction went into.
export type BatchOfTransaction = {
  readonly batchId: bigint
  readonly batchNumber: number
  readonly state: BatchState
  readonly lock: string
}

// What the payer's bank took back of a sale; open until it is won or lost.
export type DisputeOfTransaction = {
  readonly openedAt: Temporal.Instant
  readonly reasonCode: string
  readonly state: string
}

// A sale or credit as people find it.
export type FoundTransaction = {
  readonly transactionId: bigint
  readonly merchantNumber: MerchantNumber
  readonly kind: string
  readonly status: TransactionStatus
  // The fee is a part of the total.
  readonly total: Money
  readonly fee: Money
  // What credits have given back.
  readonly credited: Money
  // The sale of a credit, the void of a voided sale.
  readonly parentId: bigint | null
  readonly resultCode: string
  readonly avs: string
  readonly cvv: string
  readonly isPartial: boolean
  readonly lastFour: string
  readonly brand: CardBrand
  readonly expiry: string
  readonly holderFirstName: string
  readonly holderLastName: string
  readonly consentId: string
  readonly clientRef: string
  readonly guid: string
  readonly origin: string
  // Who changed it last.
  readonly user: string
  readonly userId: string
  readonly batch: BatchOfTransaction | null
  readonly dispute: DisputeOfTransaction | null
  readonly createdAt: Temporal.Instant
  readonly changedAt: Temporal.Instant
}
