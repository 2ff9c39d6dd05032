import type {
  AcquirerAnswer,
  Approved,
  InquiryAnswer,
  ReversalAnswer,
} from '#engine/acquirers/acquirer-answer.ts'
import type { Attempt, AttemptState } from '#engine/payments/attempt.ts'
import type { Decision } from '#engine/payments/decision.ts'

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

// null: the event changes nothing in this state.
export function nextState(attempt: Attempt, event: AttemptEvent): AttemptState | null {
  switch (attempt.state) {
    case 'sending':
      return fromSending(attempt, event)
    case 'unknown':
      return fromUnknown(attempt, event)
    case 'reversal_due':
      return event.on === 'reversal_begun' ? 'reversing' : null
    case 'reversing':
      return fromReversing(attempt, event)
    case 'manual':
      return event.on === 'decided' ? fromManual(attempt, event.decision) : null
    default:
      // Final: an answer that comes now is late and is filed, nothing more.
      return null
  }
}

function fromSending(attempt: Attempt, event: AttemptEvent): AttemptState | null {
  if (event.on === 'lease_lost') return 'unknown'
  if (event.on !== 'answer') return null
  switch (event.answer.kind) {
    case 'approved':
      return approvalOf(attempt, event.answer)
    case 'declined':
      return 'declined'
    case 'not_sent':
      return 'not_sent'
    case 'unknown':
      return 'unknown'
  }
}

function fromUnknown(attempt: Attempt, event: AttemptEvent): AttemptState | null {
  if (event.on === 'given_up') return 'manual'
  if (event.on !== 'inquiry') return null
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

// A reference that was never found is closed now: nothing happened under it, and nothing will.
// A credit that the bank has is no longer taken back: it came in between, and stands.
function fromReversing(attempt: Attempt, event: AttemptEvent): AttemptState | null {
  if (event.on === 'given_up') return 'manual'
  if (event.on === 'inquiry' && event.answer.kind === 'approved' && attempt.kind === 'credit')
    return event.answer.amount.minor < attempt.amounts.total.minor ? 'partial' : 'approved'
  if (event.on !== 'reversal') return null
  // The bank holds on to what must not stand: only people can settle that.
  if (event.answer.kind === 'refused') return 'manual'
  if (event.answer.kind === 'unknown') return null
  return event.wasFound ? 'reversed' : 'not_sent'
}

// A void or a verification is done or not, there is nothing to reverse. What has been told as declined,
// because a condition was broken, cannot become an approval.
function fromManual({ kind, resultCode }: Attempt, { outcome }: Decision): AttemptState | null {
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
