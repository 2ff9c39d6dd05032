import { isSaleNotOpen, problemWith, undoingDetails } from '#capabilities/sales/undoable-sale.ts'
import { type UndoingNeeds, withPayersReceipt } from '#capabilities/sales/payers-receipt.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { lookAlikesUndoneBy } from '#engine/look-alikes/follow-look-alikes.operation.ts'
import { worksFor } from '#engine/merchants/merchant.ts'
import type { Attempt, AttemptId, Following, NewAttempt } from '#engine/payments/attempt.ts'
import { orderUndoneBy } from '#engine/orders/follow-order.operation.ts'
import { following } from '#engine/payments/follower.ts'
import { newReference } from '#engine/payments/new-reference.operation.ts'
import { outcomeOf, type OutcomeRefusal, paidOutcome } from '#engine/payments/outcome.ts'
import { parentFollower } from '#engine/payments/parent.follower.ts'
import { type Ask, pay } from '#engine/payments/pay.operation.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { voidAnswer } from '#engine/payments/resolve-attempt.operation.ts'
import { assert } from '#kernel/assert.ts'
import { type Details, ok, refuse, type Refusal, type Result } from '#kernel/result.ts'

export type VoidWish = { readonly saleId: AttemptId; readonly askedBy?: 'order' }

// The two transactions of a void: the sale that was to be undone, and the void itself once it is recorded.
export type VoidReport = { readonly saleId: AttemptId; readonly voidId: AttemptId | null }
// The code is the bank's, where it refused.
export type Voided = VoidReport & { readonly isApproved: boolean; readonly code: string }

type VoidRefusal = OutcomeRefusal | 'transaction_not_found' | 'sale_not_open'
type VoidResult = Result<Voided, VoidRefusal, VoidReport>

// Undoes an approved sale in full, before it is settled: payer, consent and books get everything back. Of
// many voids of one sale one wins, because the sale's own row can be taken only once.
export async function voidSale(
  needs: UndoingNeeds,
  caller: Caller,
  { saleId, askedBy }: VoidWish,
): Promise<VoidResult> {
  const found = await needs.attemptReads.add({ account: caller.accountId, attempt: saleId })
  if (!found || !worksFor(caller, found.attempt))
    return refuse('transaction_not_found', { transaction: saleId })

  const sale = found.attempt
  const problem = problemWith(sale)
  if (problem) {
    const details = detailsOf(saleId, problem)
    return { ok: false, refusal: { kind: problem.kind, details, found: { saleId, voidId: null } } }
  }

  const asked = await withPayersReceipt(needs, voidOf(needs, caller, { sale, askedBy }), sale)
  const paid = await pay(needs, asked, askToReverse(needs))
  return reported(paidOutcome(paid, isSaleNotOpen), saleId)
}

// The same answer once more, from what is stored.
export async function repeatVoid(_needs: PaymentNeeds, attempt: Attempt): Promise<VoidResult> {
  assert(attempt.parentId, 'a void has its sale')
  return reported(outcomeOf(attempt), attempt.parentId)
}

type Voiding = { readonly sale: Attempt; readonly askedBy: VoidWish['askedBy'] | undefined }

function voidOf(needs: PaymentNeeds, caller: Caller, { sale, askedBy }: Voiding): NewAttempt {
  return {
    accountId: sale.accountId,
    merchantNumber: sale.merchantNumber,
    kind: 'void',
    parentId: sale.attemptId,
    amounts: sale.approved,
    ref: newReference(),
    subjectRef: sale.ref,
    // A void is repeated until it is acknowledged; taking it back would charge the payer again.
    policy: 'resolve',
    conditions: { acceptsPartial: true, avsNeeded: 'none', cvvNeeded: false },
    following: [
      ...consentOf(sale),
      ...lookAlikesUndoneBy(sale),
      ...orderUndoneBy(sale),
      following(parentFollower, sale.attemptId, null),
    ],
    details: undoingDetails(sale, caller, askedBy),
    callerKey: caller.callerKey,
    createdAt: needs.accountClock.now(sale.accountId),
  }
}

// A sale that counted against a consent is given back to it: the void follows the same consent, before the
// sale, because that is the order of locks.
function consentOf({ following: followed }: Attempt): readonly Following[] {
  return followed
    .filter(({ follower }) => follower === 'consent')
    .map(({ follower, subject }) => ({ follower, subject, detail: null }))
}

function askToReverse({ acquirer }: PaymentNeeds): Ask {
  return async (attempt, signal) => voidAnswer(attempt, await acquirer.reverse(attempt.subjectRef, signal))
}

function reported(
  outcome: Result<Attempt, OutcomeRefusal | 'sale_not_open', Attempt>,
  saleId: AttemptId,
): VoidResult {
  if (outcome.ok) {
    const { attemptId: voidId, state, resultCode: code } = outcome.value
    return ok({ saleId, voidId, isApproved: state === 'approved', code })
  }
  const { kind, known } = outcome.refusal
  const details = detailsOf(saleId, outcome.refusal)
  return refuse(kind, details, known && { saleId, voidId: known.attemptId })
}

function detailsOf(saleId: AttemptId, { details }: Pick<Refusal<string>, 'details'>): Details {
  return { ...details, transaction: saleId, done: 'voided' }
}
