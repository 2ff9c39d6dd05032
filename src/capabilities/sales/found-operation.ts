import type { Amounts } from '#engine/fees/amounts.ts'
import {
  type AttemptKind,
  type AttemptState,
  hasApproval,
  isToldAsDeclined,
  type PaymentDetails,
} from '#engine/payments/attempt.ts'

const attemptKinds = [
  'sale',
  'verify',
  'void',
  'credit',
  'bank_debit',
  'bank_void',
  'bank_credit',
  'bank_return',
  'bank_credit_return',
] as const satisfies readonly AttemptKind[]

export const operationKinds = [...attemptKinds, 'consent', 'batch', 'form', 'link'] as const

// An operation as a caller finds it again who never received its answer.
export type FoundOperation = {
  // 0 where there was no attempt: a consent that was made without asking the issuer, a batch, a form, a link.
  readonly transactionId: bigint
  // 0 where there is none.
  readonly consentId: bigint
  readonly kind: (typeof operationKinds)[number]
  // What it was called by; empty when it was not found by its key: then what it did tells.
  readonly operation: string
  readonly origin: string
  // What was changed together with it: a consent, an instalment.
  readonly following: readonly string[]
  readonly askedBy: NonNullable<PaymentDetails['askedBy']> | ''
  // The sale that a void or credit belongs to.
  readonly parentId: bigint
  readonly state: AttemptState
  readonly resultCode: string
  readonly amounts: Amounts
  readonly approved: Amounts
  readonly createdAt: Temporal.Instant
}

const words: Readonly<Record<AttemptState, string>> = {
  sending: 'unknown',
  approved: 'approved',
  partial: 'partial',
  declined: 'declined',
  not_sent: 'not sent',
  unknown: 'unknown',
  reversal_due: 'unknown',
  reversing: 'unknown',
  reversed: 'reversed',
  manual: 'unknown',
  refused: 'refused',
}

export const stateWords: readonly string[] = [...new Set(Object.values(words))]

// One word for people, the same that the caller of the operation was told: an approval that was taken back
// because of a condition has a decline code and is a decline; one that nobody heard of is reversed only when
// the bank has confirmed it.
export function stateWord(found: Pick<FoundOperation, 'state' | 'resultCode'>): string {
  return isToldAsDeclined(found) ? 'declined' : words[found.state]
}

// What counts: the approved amounts where something was approved, the asked ones otherwise.
export function amountsShown({ state, amounts, approved }: FoundOperation): Amounts {
  return hasApproval(state) ? approved : amounts
}
