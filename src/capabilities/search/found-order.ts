import type { Payer, RecordAction, RecordResult, RecordStatus } from '#engine/orders/order.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'

// One step of an international order as people find it.
export type FoundOrderRecord = {
  // 0 of a charge that is under way: its record is made by what comes of it.
  readonly recordId: bigint
  readonly orderId: bigint
  readonly merchantNumber: MerchantNumber
  // Of the merchant record.
  readonly timeZone: string
  readonly transactionId: string
  readonly action: RecordAction
  readonly result: RecordResult
  readonly status: RecordStatus
  readonly amount: Money
  readonly lastFour: string
  readonly brand: CardBrand
  // 08/27
  readonly expiry: string
  readonly cardToken: string
  // Empty: the card cannot be charged again by a token.
  readonly consentToken: string
  readonly declineReason: string
  readonly descriptor: string
  readonly clientRef: string
  readonly guid: string
  readonly instalmentId: bigint | null
  readonly bankAt: Temporal.Instant | null
  readonly chargebackAt: Temporal.Instant | null
  readonly reasonCode: string | null
  readonly payer: Payer
  readonly createdAt: Temporal.Instant
}
