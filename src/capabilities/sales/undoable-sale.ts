import type { Caller } from '#capabilities/wire/caller.ts'
import type { Attempt, PaymentDetails } from '#engine/payments/attempt.ts'
import { outcomeOf } from '#engine/payments/outcome.ts'
import { refuse, type Refusal } from '#kernel/result.ts'

// What voids and credits ask of a sale.

// Details of what undoes a sale: the sale's own, and who has asked for it.
export function undoingDetails(
  { details: { askedBy: _bySale, ...details } }: Attempt,
  { userId }: Caller,
  askedBy: 'order' | undefined,
): PaymentDetails {
  const undoing = { ...details, user: '', userId: String(userId), origin: 'API', feeDecision: '' } as const
  return askedBy ? { ...undoing, askedBy } : undoing
}

// What can be told from the sale alone. Whether it has been voided, credited or settled is for its follower
// to say, in the same commit that takes it.
export function problemWith(sale: Attempt): Refusal<'outcome_unknown' | 'sale_not_open', never> | null {
  if (sale.kind === 'bank_debit')
    return refuse('sale_not_open', { problem: 'it is a bank debit: use ACH/Void or ACH/ApplyCredit' }).refusal
  const notOpen = refuse('sale_not_open', { problem: 'it is no approved sale' }).refusal
  if (sale.kind !== 'sale' || sale.state === 'refused') return notOpen
  const outcome = outcomeOf(sale)
  if (!outcome.ok)
    return outcome.refusal.kind === 'outcome_unknown' ? refuse('outcome_unknown').refusal : notOpen
  return outcome.value.state === 'declined' ? notOpen : null
}

export function isSaleNotOpen(refusal: Refusal<string>): refusal is Refusal<'sale_not_open'> {
  return refusal.kind === 'sale_not_open'
}
