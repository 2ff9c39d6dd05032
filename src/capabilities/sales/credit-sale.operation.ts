import { isSaleNotOpen, problemWith, undoingDetails } from '#capabilities/sales/undoable-sale.ts'
import { type UndoingNeeds, withPayersReceipt } from '#capabilities/sales/payers-receipt.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { worksFor } from '#engine/merchants/merchant.ts'
import type { Amounts } from '#engine/fees/amounts.ts'
import { type AskedAmount, askedMoney } from '#engine/fees/asked-money.ts'
import { splitCredit } from '#engine/fees/split-fee.ts'
import type { Attempt, AttemptId, NewAttempt } from '#engine/payments/attempt.ts'
import { orderUndoneBy } from '#engine/orders/follow-order.operation.ts'
import { following } from '#engine/payments/follower.ts'
import { newReference } from '#engine/payments/new-reference.operation.ts'
import { outcomeOf, type OutcomeRefusal, paidOutcome } from '#engine/payments/outcome.ts'
import { parentFollower } from '#engine/payments/parent.follower.ts'
import { type Ask, pay } from '#engine/payments/pay.operation.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { isMoreThan, type Money, printMoney, subtractMoney } from '#kernel/money.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

export type CreditWish = {
  readonly saleId: AttemptId
  readonly amount: AskedAmount
  readonly askedBy?: 'order'
}

type CreditRefusal =
  | OutcomeRefusal
  | 'transaction_not_found'
  | 'sale_not_open'
  | 'credit_over_sale'
  | 'value_out_of_range'
type CreditResult = Result<Attempt, CreditRefusal, Attempt>

// Gives a payer back some or all of an approved sale, settled or not, as often as something is left of it.
// The credit is a transaction of its own and is settled like one. Of many at once one wins, because the
// sale's own row can be taken only once.
export async function creditSale(
  needs: UndoingNeeds,
  caller: Caller,
  { saleId, amount, askedBy }: CreditWish,
): Promise<CreditResult> {
  const found = await needs.attemptReads.add({ account: caller.accountId, attempt: saleId })
  if (!found || !worksFor(caller, found.attempt))
    return refuse('transaction_not_found', { transaction: saleId })

  const { attempt: sale, credited } = found
  const problem = problemWith(sale)
  if (problem) return refuse(problem.kind, { ...problem.details, transaction: saleId, done: 'credited' })

  const split = splitFor(sale, credited, amount)
  if (!split.ok) return split

  const credit = creditOf(needs, caller, { sale, credited, amounts: split.value, askedBy })
  const asked = await withPayersReceipt(needs, credit, sale)
  const outcome = paidOutcome(await pay(needs, asked, askToRefund(needs, sale)), isSaleNotOpen)
  return outcome.ok ? outcome : refusedOf(outcome.refusal, saleId)
}

// The same answer once more, from what is stored.
export async function repeatCredit(_needs: PaymentNeeds, attempt: Attempt): Promise<CreditResult> {
  return outcomeOf(attempt)
}

// Price and fee of the credit, from what is left of both.
function splitFor(
  sale: Attempt,
  credited: Amounts,
  asked: AskedAmount,
): Result<Amounts, 'credit_over_sale' | 'value_out_of_range'> {
  const credit = askedMoney(asked, sale.currency)
  if (!credit.ok) return credit
  const left: Money = subtractMoney(sale.approved.total, credited.total)
  if (isMoreThan(credit.value, left))
    return refuse('credit_over_sale', {
      transaction: sale.attemptId,
      left: left.minor > 0n ? `Only ${printMoney(left)}` : 'Nothing',
    })
  return ok(splitCredit({ paid: sale.approved, credited }, credit.value))
}

type Crediting = {
  readonly sale: Attempt
  readonly credited: Amounts
  readonly amounts: Amounts
  readonly askedBy: CreditWish['askedBy'] | undefined
}

function creditOf(needs: PaymentNeeds, caller: Caller, crediting: Crediting): NewAttempt {
  const { sale, credited, amounts, askedBy } = crediting
  const ref = newReference()
  return {
    accountId: sale.accountId,
    merchantNumber: sale.merchantNumber,
    kind: 'credit',
    parentId: sale.attemptId,
    amounts,
    ref,
    subjectRef: ref,
    // Its outcome is asked for until it is known; a credit is never repeated and never taken back.
    policy: 'resolve',
    conditions: { acceptsPartial: true, avsNeeded: 'none', cvvNeeded: false },
    following: [
      ...orderUndoneBy(sale),
      following(parentFollower, sale.attemptId, { creditedMinor: credited.total.minor }),
    ],
    details: undoingDetails(sale, caller, askedBy),
    callerKey: caller.callerKey,
    createdAt: needs.accountClock.now(caller.accountId),
  }
}

function askToRefund({ acquirer }: PaymentNeeds, { ref: original }: Attempt): Ask {
  return ({ ref, amounts }, signal) => acquirer.refund({ ref, original, amount: amounts.total }, signal)
}

type Refused = Extract<ReturnType<typeof paidOutcome<'sale_not_open'>>, { ok: false }>['refusal']

function refusedOf({ kind, details, known }: Refused, transaction: AttemptId): CreditResult {
  return refuse(kind, { ...details, transaction, done: 'credited' }, known)
}
