import type {
  AcquirerAnswer,
  Approved,
  InquiryAnswer,
  ReversalAnswer,
} from '#engine/acquirers/acquirer-answer.ts'
import type { Attempt, AttemptState } from '#engine/payments/attempt.ts'
import type { Decision } from '#engine/payments/decision.ts'
import { assertNever } from '#kernel/assert.ts'

// The state machine of one attempt, pure. What is not written here does not happen.

export type AttemptEvent =
  | { readonly on: 'answer'; readonly answer: AcquirerAnswer }
  | { readonly on: 'lease_lost' }
  | {
      readonly on: 'inquiry'
      readonly answer: InquiryAnswer
      readonly isCallerWaiting: boolean
      readonly isSecondNotFound: boolean
    }
  | { readonly on: 'reversal_begun' }
  | { readonly on: 'reversal'; readonly answer: ReversalAnswer; readonly wasFound: boolean }
  | { readonly on: 'given_up' }
  | { readonly on: 'decided'; readonly decision: Decision }

type EventOn<On extends AttemptEvent['on']> = Extract<AttemptEvent, { readonly on: On }>

// null: the event changes nothing in this state.
export function nextState(attempt: Attempt, event: AttemptEvent): AttemptState | null {
  switch (attempt.state) {
    case 'sending':
      return fromSending(attempt, event)
    case 'unknown':
      return fromUnknown(attempt, event)
    case 'reversal_due':
      return fromReversalDue(event)
    case 'reversing':
      return fromReversing(attempt, event)
    case 'manual':
      return fromManual(attempt, event)
    case 'approved':
    case 'partial':
    case 'declined':
    case 'not_sent':
    case 'reversed':
    case 'refused':
      // Final: an answer that comes now is late and is filed, nothing more.
      return null
    default:
      return assertNever(attempt.state)
  }
}

function fromSending(attempt: Attempt, event: AttemptEvent): AttemptState | null {
  switch (event.on) {
    case 'answer':
      return answered(attempt, event.answer)
    case 'lease_lost':
      return 'unknown'
    case 'inquiry':
    case 'reversal_begun':
    case 'reversal':
    case 'given_up':
    case 'decided':
      return null
    default:
      return assertNever(event)
  }
}

function answered(attempt: Attempt, answer: AcquirerAnswer): AttemptState {
  switch (answer.kind) {
    case 'approved':
      return approvalOf(attempt, answer)
    case 'declined':
      return 'declined'
    case 'not_sent':
      return 'not_sent'
    case 'unknown':
      return 'unknown'
    default:
      return assertNever(answer)
  }
}

function fromUnknown(attempt: Attempt, event: AttemptEvent): AttemptState | null {
  switch (event.on) {
    case 'inquiry':
      return inquired(attempt, event)
    case 'given_up':
      return 'manual'
    case 'answer':
    case 'lease_lost':
    case 'reversal_begun':
    case 'reversal':
    case 'decided':
      return null
    default:
      return assertNever(event)
  }
}

function inquired(attempt: Attempt, event: EventOn<'inquiry'>): AttemptState | null {
  switch (event.answer.kind) {
    case 'approved':
      return stands(attempt, event.isCallerWaiting) ? approvalOf(attempt, event.answer) : takenBack(attempt)
    case 'declined':
      return 'declined'
    case 'reversed':
      return 'reversed'
    case 'not_found':
      return afterNotFound(attempt, event.isSecondNotFound)
    case 'unknown':
      return null
    default:
      return assertNever(event.answer)
  }
}

// A void is repeated until it is done and never undone: what it took back is gone.
function stands({ policy, kind }: Attempt, isCallerWaiting: boolean): boolean {
  return policy === 'resolve' || kind === 'void' || isCallerWaiting
}

// Nothing was found twice, long enough apart: a reversal is sent all the same, because it closes the
// reference against an original that arrives late.
function afterNotFound(attempt: Attempt, isSecond: boolean): AttemptState | null {
  return isSecond ? takenBack(attempt) : null
}

// A verification moves no money, so there is nothing to reverse.
function takenBack({ kind }: Attempt): AttemptState {
  return kind === 'verify' ? 'not_sent' : 'reversal_due'
}

function fromReversalDue(event: AttemptEvent): AttemptState | null {
  switch (event.on) {
    case 'reversal_begun':
      return 'reversing'
    case 'answer':
    case 'lease_lost':
    case 'inquiry':
    case 'reversal':
    case 'given_up':
    case 'decided':
      return null
    default:
      return assertNever(event)
  }
}

function fromReversing(attempt: Attempt, event: AttemptEvent): AttemptState | null {
  switch (event.on) {
    case 'inquiry':
      return foundWhileReversing(attempt, event.answer)
    case 'reversal':
      return reversedBy(event)
    case 'given_up':
      return 'manual'
    case 'answer':
    case 'lease_lost':
    case 'reversal_begun':
    case 'decided':
      return null
    default:
      return assertNever(event)
  }
}

// A credit that the bank has is no longer taken back: it came in between, and stands.
function foundWhileReversing({ kind, amounts }: Attempt, answer: InquiryAnswer): AttemptState | null {
  if (answer.kind !== 'approved' || kind !== 'credit') return null
  return answer.amount.minor < amounts.total.minor ? 'partial' : 'approved'
}

// A reference that was never found is closed now: nothing happened under it, and nothing will.
function reversedBy({ answer, wasFound }: EventOn<'reversal'>): AttemptState | null {
  switch (answer.kind) {
    case 'reversed':
      return wasFound ? 'reversed' : 'not_sent'
    case 'refused':
      // The bank holds on to what must not stand: only people can settle that.
      return 'manual'
    case 'unknown':
      return null
    default:
      return assertNever(answer)
  }
}

function fromManual(attempt: Attempt, event: AttemptEvent): AttemptState | null {
  switch (event.on) {
    case 'decided':
      return decided(attempt, event.decision)
    case 'answer':
    case 'lease_lost':
    case 'inquiry':
    case 'reversal_begun':
    case 'reversal':
    case 'given_up':
      return null
    default:
      return assertNever(event)
  }
}

// A void or a verification is done or not, there is nothing to reverse. What has been told as declined,
// because a condition was broken, cannot become an approval.
function decided({ kind, resultCode }: Attempt, { outcome }: Decision): AttemptState | null {
  if (outcome === 'reversed') return kind === 'void' || kind === 'verify' ? null : 'reversed'
  if (outcome === 'approved') return resultCode === '' ? 'approved' : null
  return 'declined'
}

// An approval that breaks a condition is taken back; one of a smaller amount is partial.
function approvalOf(attempt: Attempt, answer: Approved): AttemptState {
  const isPartial = answer.amount.minor < attempt.amounts.total.minor
  const { acceptsPartial } = attempt.conditions
  if ((isPartial && !acceptsPartial) || !meetsChecks(attempt, answer)) {
    return attempt.kind === 'verify' ? 'declined' : 'reversal_due'
  }
  return isPartial ? 'partial' : 'approved'
}

export function meetsChecks(
  { conditions: { avsNeeded, cvvNeeded } }: Attempt,
  { checks }: Approved,
): boolean {
  const isAvsMet = avsNeeded === 'none' || checks.avs === 'Y' || (avsNeeded === 'zip' && checks.avs === 'Z')
  return isAvsMet && (!cvvNeeded || checks.cvv === 'M')
}
