import type { Attempt, AttemptKind, Move } from '#engine/payments/attempt.ts'
import type { AccountId } from '#kernel/ids.ts'
import { printMoney } from '#kernel/money.ts'

export type EventType =
  | 'payment.approved'
  | 'payment.declined'
  | 'payment.unknown'
  | 'payment.voided'
  | 'payment.credited'
  | 'ach.returned'
  | 'ach.corrected'
  | 'consent.created'
  | 'consent.changed'
  | 'consent.cancelled'
  | 'batch.closed'
  | 'batch.failed'
  | 'dispute.opened'
  | 'dispute.closed'

// Something that happened to one object, told once. Delivery comes later; the row is written in the same
// commit.
export type NewEvent = {
  readonly accountId: AccountId
  readonly type: EventType
  readonly objectId: bigint
  readonly body: Readonly<Record<string, string>>
}

export function eventsFor(move: Move): readonly NewEvent[] {
  const { attempt } = move
  const type = typeOf(move)
  if (type === null || attempt.kind === 'verify') return []
  const objectId = isAboutParent(attempt) ? (attempt.parentId ?? attempt.attemptId) : attempt.attemptId
  const total =
    attempt.state === 'approved' || attempt.state === 'partial'
      ? attempt.approved.total
      : attempt.amounts.total
  const body = {
    amount: printMoney(total),
    currency: total.currency,
    merchant: String(attempt.merchantNumber),
    code: attempt.resultCode,
    lastFour: attempt.details.lastFour,
    clientRef: attempt.details.clientRef,
    guid: attempt.details.guid,
  }
  return [{ accountId: attempt.accountId, type, objectId, body }]
}

// A void and a return are told of what they undo.
function isAboutParent({ kind }: Attempt): boolean {
  return kind === 'void' || kind === 'bank_void' || kind === 'bank_return' || kind === 'bank_credit_return'
}

const approvalTypes: Readonly<Record<AttemptKind, EventType | null>> = {
  sale: 'payment.approved',
  verify: null,
  void: 'payment.voided',
  credit: 'payment.credited',
  bank_debit: 'payment.approved',
  bank_void: 'payment.voided',
  bank_credit: 'payment.credited',
  bank_return: 'ach.returned',
  bank_credit_return: 'ach.returned',
}

function typeOf({ attempt: { kind }, to }: Move): EventType | null {
  switch (to) {
    case 'approved':
    case 'partial':
      return approvalTypes[kind]
    case 'declined':
    case 'reversed':
    case 'not_sent':
      return kind === 'void' ? null : 'payment.declined'
    case 'unknown':
      // A void that is not known yet says nothing new about its sale.
      return kind === 'void' ? null : 'payment.unknown'
    default:
      return null
  }
}
