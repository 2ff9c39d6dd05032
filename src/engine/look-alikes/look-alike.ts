import {
  type Attempt,
  type AttemptKind,
  hasApproval,
  hasNoEffect,
  type Move,
} from '#engine/payments/attempt.ts'
import { outcomeOf, type OutcomeRefusal } from '#engine/payments/outcome.ts'
import type { Paid } from '#engine/payments/pay.operation.ts'
import type { Refusal } from '#kernel/result.ts'

// What a caller calls a payment, as the request itself says it; empty when it does not.
export type References = { readonly clientRef: string; readonly guid: string }

export type LookAlike = Extract<Paid, { kind: 'refused' }> & { readonly refusal: Refusal<'look_alike'> }

export function isLookAlike(paid: Paid): paid is LookAlike {
  return paid.kind === 'refused' && paid.refusal.kind === 'look_alike'
}

const undoing: ReadonlySet<AttemptKind> = new Set<AttemptKind>(['void', 'bank_void'])

// Whether a move gives the references of a charge free: it has come to nothing, or is voided. What is
// unknown, or still has to be reversed, keeps them.
export function freesReferences({ attempt: { kind }, to }: Pick<Move, 'attempt' | 'to'>): boolean {
  return undoing.has(kind) ? hasApproval(to) : hasNoEffect(to)
}

const withoutOutcome: Readonly<Record<OutcomeRefusal, string>> = {
  outcome_unknown: 'has no outcome yet: query it, do not charge again',
  key_running: 'has no outcome yet: query it, do not charge again',
  charge_reversed: 'was reversed in this moment: try again',
  not_charged: 'was not charged, as is known since this moment: try again',
}

// What became of the earlier one, for people.
export function fateOf(earlier: Attempt): string {
  const outcome = outcomeOf(earlier)
  if (!outcome.ok) return withoutOutcome[outcome.refusal.kind]
  const { state, approvalCode } = outcome.value
  if (state === 'approved') return `was approved with code ${approvalCode}`
  if (state === 'partial') return `was approved in part with code ${approvalCode}`
  return earlier.state === 'declined'
    ? 'was declined in this moment: try again'
    : 'was declined and is being taken back: try again in a moment'
}
