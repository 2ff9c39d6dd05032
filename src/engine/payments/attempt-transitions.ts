import type {
  AcquirerAnswer,
  Approved,
  InquiryAnswer,
  ReversalAnswer,
} from '#engine/acquirers/acquirer-answer.ts'
import { type Attempt, type AttemptState, isToldAsDeclined } from '#engine/payments/attempt.ts'
import type { Decision } from '#engine/payments/decision.ts'
import { assertNever } from '#kernel/assert.ts'

// The state machine of one attempt, pure. What is not written here does not happen.

type Inputs = {
  readonly answer: { readonly answer: AcquirerAnswer }
  readonly lease_lost: object
  readonly inquiry: {
    readonly answer: InquiryAnswer
    readonly isCallerWaiting: boolean
    readonly isSecondNotFound: boolean
  }
  readonly reversal_begun: object
  readonly reversal: { readonly answer: ReversalAnswer; readonly wasFound: boolean }
  readonly given_up: object
  readonly decided: { readonly decision: Decision }
}

export type AttemptInput<On extends keyof Inputs = keyof Inputs> = {
  readonly [Name in On]: { readonly on: Name } & Inputs[Name]
}[On]

type Moves = {
  readonly [On in keyof Inputs]?: (attempt: Attempt, input: AttemptInput<On>) => AttemptState | null
}

const transitions: Readonly<Record<AttemptState, Moves>> = {
  sending: { answer: answered, lease_lost: () => 'unknown' },
  unknown: { inquiry: inquired, given_up: () => 'manual' },
  reversal_due: { reversal_begun: () => 'reversing' },
  reversing: { inquiry: foundWhileReversing, reversal: reversedBy, given_up: () => 'manual' },
  manual: { decided },
  // Final: an answer that comes now is late and is filed, nothing more.
  approved: {},
  partial: {},
  declined: {},
  not_sent: {},
  reversed: {},
  refused: {},
}

// null: the input changes nothing in this state.
export function nextState<On extends keyof Inputs>(
  attempt: Attempt,
  input: AttemptInput<On>,
): AttemptState | null {
  const move: Moves[On] = transitions[attempt.state][input.on]
  return move ? move(attempt, input) : null
}

function answered(attempt: Attempt, { answer }: AttemptInput<'answer'>): AttemptState {
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

function inquired(attempt: Attempt, input: AttemptInput<'inquiry'>): AttemptState | null {
  switch (input.answer.kind) {
    case 'approved':
      return stands(attempt, input.isCallerWaiting) ? approvalOf(attempt, input.answer) : takenBack(attempt)
    case 'declined':
      return 'declined'
    case 'reversed':
      return 'reversed'
    case 'not_found':
      return afterNotFound(attempt, input.isSecondNotFound)
    case 'unknown':
      return null
    default:
      return assertNever(input.answer)
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

// A credit that the bank has is no longer taken back: it came in between, and stands.
function foundWhileReversing(
  { kind, amounts }: Attempt,
  { answer }: AttemptInput<'inquiry'>,
): AttemptState | null {
  if (answer.kind !== 'approved' || kind !== 'credit') return null
  return answer.amount.minor < amounts.total.minor ? 'partial' : 'approved'
}

// A reference that was never found is closed now: nothing happened under it, and nothing will.
function reversedBy(_: Attempt, { answer, wasFound }: AttemptInput<'reversal'>): AttemptState | null {
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

// A void or a verification is done or not, there is nothing to reverse. What has been told as declined,
// because a condition was broken, cannot become an approval.
function decided(attempt: Attempt, { decision }: AttemptInput<'decided'>): AttemptState | null {
  const { kind } = attempt
  const { outcome } = decision
  if (outcome === 'reversed') return kind === 'void' || kind === 'verify' ? null : 'reversed'
  if (outcome === 'approved') return isToldAsDeclined(attempt) ? null : 'approved'
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
