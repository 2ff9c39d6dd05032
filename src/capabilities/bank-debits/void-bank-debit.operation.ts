import { bankAttempt } from '#capabilities/bank-debits/bank-attempt.ts'
import { bankParentFollower } from '#capabilities/bank-debits/bank-parent.follower.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { lookAlikesUndoneBy } from '#engine/look-alikes/follow-look-alikes.operation.ts'
import { worksFor } from '#engine/merchants/merchant.ts'
import type { EngineContext } from '#engine/context.ts'
import type { Attempt, AttemptId, NewAttempt } from '#engine/payments/attempt.ts'
import { findAttemptOf } from '#engine/payments/find-attempt.operation.ts'
import { following } from '#engine/payments/follower.ts'
import { newReference } from '#engine/payments/new-reference.operation.ts'
import { outcomeOf, type OutcomeRefusal, paidOutcome } from '#engine/payments/outcome.ts'
import { knownAnswer, recordAtOnce } from '#engine/payments/record-at-once.operation.ts'
import { assert } from '#kernel/assert.ts'
import { refuse, type Refusal, type Result } from '#kernel/result.ts'

export type BankVoidWish = { readonly itemId: AttemptId }

type Needs = Pick<EngineContext, 'db' | 'clock' | 'accountClock' | 'followers'>
type VoidRefusal = OutcomeRefusal | 'transaction_not_found' | 'debit_not_voidable'

// Undoes a debit, or a credit of one, before it goes to the bank. Of a void and a settlement that meet one
// wins, by the row.
export async function voidBankDebit(
  needs: Needs,
  caller: Caller,
  { itemId }: BankVoidWish,
): Promise<Result<Attempt, VoidRefusal, Attempt>> {
  const item = await findAttemptOf(needs, { account: caller.accountId, attempt: itemId })
  if (!item || !worksFor(caller, item)) return refuse('transaction_not_found', { transaction: itemId })
  const attempt = bankAttempt(caller, {
    ...undoing(item, caller),
    parentId: itemId,
    merchant: item.merchantNumber,
    amount: item.amounts.total,
    following: [...lookAlikesUndoneBy(item), following(bankParentFollower, itemId, { returnCode: '' })],
    ref: newReference(),
    at: needs.accountClock.now(caller.accountId),
  })
  const answer = knownAnswer(item.amounts.total, item.approvalCode)
  const [paid] = await needs.db.inTransaction((tx) => recordAtOnce(tx, needs, [{ attempt, answer }]))
  assert(paid, 'whatever is recorded is answered')
  return paidOutcome(paid, isNotVoidable)
}

// A credit is undone as one is that is held back because its debit has come back.
function undoing({ kind, details: its }: Attempt, { userId }: Caller): Pick<NewAttempt, 'kind' | 'details'> {
  const details = { ...its, user: '', userId: String(userId), origin: 'API' } as const
  if (kind !== 'bank_credit') return { kind: 'bank_void', details }
  return { kind: 'bank_credit_return', details: { ...details, neverSent: true, askedBy: 'void' } }
}

// The same answer once more, from what is stored.
export async function repeatBankVoid(
  _needs: unknown,
  attempt: Attempt,
): Promise<Result<Attempt, OutcomeRefusal, Attempt>> {
  return outcomeOf(attempt)
}

function isNotVoidable(refusal: Refusal<string>): refusal is Refusal<'debit_not_voidable'> {
  return refusal.kind === 'debit_not_voidable'
}
