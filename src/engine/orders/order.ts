import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import { assert } from '#kernel/assert.ts'
import type { CardBrand } from '#kernel/card-brand.ts'
import type { AccountId, Branded, MerchantNumber } from '#kernel/ids.ts'
import type { Money } from '#kernel/money.ts'

// What an international merchant record sells: one order, one charge, and a record of every step.
export type OrderId = Branded<bigint, 'OrderId'>

export function orderId(value: bigint): OrderId {
  assert(isOrderId(value), 'an id is a positive number')
  return value
}

function isOrderId(value: bigint): value is OrderId {
  return value > 0n
}

// The words of records are those of the interface, because people search by them.
export type OrderAction = 'SALE' | 'RECURRING_SALE'
export type RecordAction = OrderAction | 'CREDITVOID'
export type RecordResult = 'SUCCESS' | 'DECLINED' | 'REDIRECT' | 'ACCEPTED' | 'ERROR'
export type RecordStatus =
  | 'PENDING'
  | 'REDIRECT'
  | '3DS'
  | 'SETTLED'
  | 'REVERSAL'
  | 'REFUND'
  | 'DECLINED'
  | 'CHARGEBACK'
  | 'VOID'

export type OrderState =
  // The payer's bank is being asked whether it wants to see the payer.
  | 'opened'
  // It does, and the payer has not come back yet.
  | 'challenged'
  // Its charge is under way, or the outcome is not known.
  | 'charging'
  | 'settled'
  | 'declined'
  // Its charge was undone because nobody had heard of it.
  | 'reversed'
  | 'void'
  | 'charged_back'

// Why an order was declined. not_confirmed: the payer's bank could not confirm who pays. timed_out: the payer
// did not come back from the bank in time, or left its page by our button.
export type DeclineCause = 'issuer' | 'unreachable' | 'not_confirmed' | 'timed_out'

// Whom the order is for. Never a card.
export type Payer = {
  readonly firstName: string
  readonly lastName: string
  readonly customerFirstName: string
  readonly customerLastName: string
  readonly email: string
  readonly phone: string
  readonly street: string
  readonly city: string
  readonly state: string
  readonly zip: string
  readonly country: string
}

// The payer's agreement to charge the card again.
export type CardSaving = { readonly agreement: string; readonly agreedFrom: string }

export type OrderCard = {
  readonly lastFour: string
  readonly brand: CardBrand
  // 08/27
  readonly expiry: string
  readonly token: string
}

export type NewOrder = {
  readonly orderId: OrderId
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly transactionId: string
  readonly action: OrderAction
  readonly amount: Money
  readonly card: OrderCard
  readonly consentId: bigint | null
  // Empty: the card cannot be charged again by a token.
  readonly consentToken: string
  readonly instalmentId: bigint | null
  readonly descriptor: string
  readonly service: string
  readonly clientRef: string
  readonly guid: string
  readonly origin: string
  readonly payer: Payer
  readonly saving: CardSaving | null
  readonly answerUntil: Temporal.Instant | null
  readonly createdAt: Temporal.Instant
}

export type Order = NewOrder & {
  readonly state: OrderState
  // The reference of its charge.
  readonly saleRef: AcquirerRef | null
  readonly challengeId: string | null
  readonly because: DeclineCause | ''
  readonly bankAt: Temporal.Instant | null
}

// A step of an order, as its record tells it.
export type OrderStep = {
  readonly orderId: bigint
  // null: the order's own.
  readonly action: RecordAction | null
  readonly result: RecordResult
  readonly status: RecordStatus
  readonly amount: Money
  readonly approvalCode: string
  readonly declineReason: string
  readonly attemptRef: string
  // Its money moves with the next bank cut-off.
  readonly awaitsBank: boolean
  readonly dispute: { readonly openedAt: Temporal.Instant; readonly reasonCode: string } | null
}

const plainStep = {
  action: null,
  approvalCode: '',
  declineReason: '',
  attemptRef: '',
  awaitsBank: false,
  dispute: null,
} as const

export function orderStep(
  step: Pick<OrderStep, 'orderId' | 'result' | 'status' | 'amount'> & Partial<OrderStep>,
): OrderStep {
  return { ...plainStep, ...step }
}

// The number of an order for people: eight hexadecimal digits, different for each of the next four billion
// orders, and no count of them.
export function orderNumber(id: bigint): string {
  return ((id * 2_654_435_761n) % 4_294_967_296n).toString(16).padStart(8, '0')
}

const descriptorMax = 22

// What a bank statement says: networks take 22 characters.
export function descriptorOf({ name }: { readonly name: string }): string {
  return name.toUpperCase().slice(0, descriptorMax).trim()
}
