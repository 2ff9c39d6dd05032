import { type Attempt, isToldAsDeclined } from '#engine/payments/attempt.ts'
import type { Paid } from '#engine/payments/pay.operation.ts'
import { assertNever } from '#kernel/assert.ts'
import { ok, refuse, type Refusal, type Result } from '#kernel/result.ts'

export type OutcomeRefusal = 'not_charged' | 'outcome_unknown' | 'charge_reversed' | 'key_running'

// What a caller is told about an attempt. Approved, partial and declined are outcomes; an approval that
// broke a condition is told as declined although its reversal may still be under way.
export function outcomeOf(attempt: Attempt): Result<Attempt, OutcomeRefusal, Attempt> {
  switch (attempt.state) {
    case 'approved':
    case 'partial':
    case 'declined':
      return ok(attempt)
    case 'reversal_due':
    case 'reversing':
    case 'reversed':
    case 'manual':
      return isToldAsDeclined(attempt) ? ok({ ...attempt, state: 'declined' }) : undone(attempt)
    case 'not_sent':
    case 'refused':
      return refuse('not_charged', {}, attempt)
    case 'sending':
    case 'unknown':
      return refuse('outcome_unknown', {}, attempt)
    default:
      return assertNever(attempt.state)
  }
}

// Not final before the bank has confirmed it: it may turn out that there was nothing to undo.
function undone(attempt: Attempt): Result<Attempt, OutcomeRefusal, Attempt> {
  return refuse(attempt.state === 'reversed' ? 'charge_reversed' : 'outcome_unknown', {}, attempt)
}

// The words of a slice's own followers come back as they are; it says which ones it may hear.
export function paidOutcome<Kind extends string>(
  paid: Paid,
  isKnown: (refusal: Refusal<string>) => refusal is Refusal<Kind>,
): Result<Attempt, OutcomeRefusal | Kind, Attempt> {
  if (paid.kind === 'duplicate') return refuse('key_running')
  if (paid.kind === 'not_begun') return refuse('not_charged')
  if (paid.kind === 'recorded') return outcomeOf(paid.attempt)
  const { refusal, attempt } = paid
  if (!isKnown(refusal)) throw new Error(`Broken promise: no follower refuses with ${refusal.kind}`)
  return refuse(refusal.kind, refusal.details, attempt)
}

// For what takes nothing else from anybody, so that nobody else can turn it down.
export function isNobodysRefusal(_refusal: Refusal<string>): _refusal is Refusal<never> {
  return false
}
