import type { CardExpiry } from '#kernel/card-expiry.ts'
import type { CardNumber } from '#kernel/card-number.ts'
import type { Money } from '#kernel/money.ts'
import type { Secret } from '#kernel/secret.ts'

// What the bank can be asked. Everything carries the reference that the asking side chose.

export type PresentedCard = {
  readonly number: CardNumber
  readonly expiry: CardExpiry
  readonly securityCode: Secret | null
  readonly street: string
  readonly zip: string
}

export type BankAuthorization = {
  readonly verb: 'authorize'
  readonly ref: string
  readonly card: PresentedCard
  // 0 asks whether the card is good.
  readonly amount: Money
  readonly fee: Money
  readonly terminalId: string
  readonly isRecurring: boolean
}

export type BankRefund = {
  readonly verb: 'refund'
  readonly ref: string
  readonly original: string
  readonly amount: Money
}

export type BankInquiry = { readonly verb: 'inquire'; readonly ref: string }
export type BankReversal = { readonly verb: 'reverse'; readonly ref: string }

export type BankBatchItem = { readonly ref: string; readonly amount: Money; readonly isCredit: boolean }

export type BankBatch = {
  readonly verb: 'settle'
  readonly ref: string
  // The merchant's own count of batches.
  readonly number: number
  readonly terminalId: string
  readonly items: readonly BankBatchItem[]
}

export type BankRequest = BankAuthorization | BankRefund | BankInquiry | BankReversal | BankBatch
export type BankVerb = BankRequest['verb']

// `refused` answers a reversal of what cannot be reversed any more.
export type ReplyOutcome = 'approved' | 'declined' | 'reversed' | 'not_found' | 'refused'

// One shape for every answer; what does not apply is empty or 0.
export type Reply = {
  readonly ref: string
  readonly outcome: ReplyOutcome
  // ISO 8583 field 39 style: 00, 05, 10, R1.
  readonly code: string
  readonly currency: string
  // The net amount for a batch.
  readonly approvedMinor: bigint
  readonly approvalCode: string
  readonly networkId: string
  readonly avs: string
  readonly cvv: string
  // Mastercard's merchant advice code, with a decline.
  readonly advice: string
}

// A reply as it is told: with the documented value that provoked it, where one did.
export type ToldReply = Reply & { readonly reason?: string }

export function emptyReply(ref: string, outcome: ReplyOutcome, code: string): Reply {
  return {
    ref,
    outcome,
    code,
    currency: '',
    approvedMinor: 0n,
    approvalCode: '',
    networkId: '',
    avs: '',
    cvv: '',
    advice: '',
  }
}

const texts = [
  'ref',
  'outcome',
  'code',
  'currency',
  'approvalCode',
  'networkId',
  'avs',
  'cvv',
  'advice',
] as const
const outcomes: readonly string[] = ['approved', 'declined', 'reversed', 'not_found', 'refused']

// Whatever came over a line is judged before it is believed.
export function isReply(value: unknown): value is ToldReply {
  if (typeof value !== 'object' || value === null) return false
  const reply: Partial<Record<keyof ToldReply, unknown>> = value
  return (
    texts.every((name) => typeof reply[name] === 'string') &&
    typeof reply.approvedMinor === 'bigint' &&
    (reply.reason === undefined || typeof reply.reason === 'string') &&
    outcomes.includes(String(reply.outcome))
  )
}
