import type { EventBodies, EventType, PaymentFacts } from '#engine/events/event-registry.ts'
import { type Attempt, type AttemptKind, hasApproval, isFinal, type Move } from '#engine/payments/attempt.ts'
import { assertNever } from '#kernel/assert.ts'
import type { AccountId } from '#kernel/ids.ts'
import { printMoney } from '#kernel/money.ts'

type PaymentEvent = Extract<EventType, `payment.${string}` | 'ach.returned'>

// Something that happened to one object, told once. Delivery comes later; the row is written in the same
// commit. Without a body it is told from the attempt whose outcome it is, which stays as it is.
export type NewEvent = {
  readonly [Type in EventType]: {
    readonly accountId: AccountId
    readonly type: Type
    readonly objectId: bigint
    readonly body: EventBodies[Type] | (Type extends PaymentEvent ? null : never)
  }
}[EventType]

export function eventsFor(move: Move): readonly Extract<NewEvent, { readonly type: PaymentEvent }>[] {
  const { attempt, to } = move
  const { accountId, attemptId, parentId } = attempt
  const type = typeOf(move)
  if (type === null) return []
  const objectId = isAboutParent(type) ? (parentId ?? attemptId) : attemptId
  const body = objectId === attemptId && isFinal(to) ? null : paymentFacts(attempt)
  return [{ accountId, type, objectId, body }]
}

// In the order in which PostgreSQL keeps members, so that a message is the same whether it is told from the
// attempt or from a body that was stored, and has the same id.
export function paymentFacts(attempt: Attempt): PaymentFacts {
  const { total } = hasApproval(attempt.state) ? attempt.approved : attempt.amounts
  return {
    code: attempt.resultCode,
    guid: attempt.details.guid,
    kind: attempt.kind,
    amount: printMoney(total),
    parent: String(attempt.parentId ?? ''),
    currency: total.currency,
    lastFour: attempt.details.lastFour,
    merchant: String(attempt.merchantNumber),
    clientRef: attempt.details.clientRef,
  }
}

// A void and a return are told of what they undo, everything else of the attempt itself.
function isAboutParent(type: PaymentEvent): boolean {
  return type === 'payment.voided' || type === 'ach.returned'
}

// A verification that succeeds is told by what it was made for: the consent.
const successes: Readonly<Record<AttemptKind, PaymentEvent | null>> = {
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

// Nobody has sent back what never left.
function successOf({ kind, details }: Attempt): PaymentEvent | null {
  return details.neverSent ? 'payment.voided' : successes[kind]
}

// Every final outcome of what was sent, or could not be, is told once. What a follower refused is no outcome:
// its caller was told, and nothing happened.
function typeOf({ attempt, to }: Move): PaymentEvent | null {
  switch (to) {
    case 'approved':
    case 'partial':
      return successOf(attempt)
    case 'declined':
    case 'reversed':
    case 'not_sent':
      return 'payment.declined'
    case 'unknown':
      // A void or a verification that is not known yet says nothing new about money.
      return attempt.kind === 'void' || attempt.kind === 'verify' ? null : 'payment.unknown'
    case 'sending':
    case 'reversal_due':
    case 'reversing':
    case 'manual':
    case 'refused':
      return null
    default:
      return assertNever(to)
  }
}
