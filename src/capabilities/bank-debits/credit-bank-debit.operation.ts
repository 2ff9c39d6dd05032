import { bankAttempt } from '#capabilities/bank-debits/bank-attempt.ts'
import { bankItemFollower } from '#capabilities/bank-debits/bank-item.follower.ts'
import { type BankItem, obstacleToCredit } from '#capabilities/bank-debits/bank-item.ts'
import { findItem } from '#capabilities/bank-debits/bank-item.store.ts'
import { bankParentFollower } from '#capabilities/bank-debits/bank-parent.follower.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import { worksFor } from '#engine/merchants/merchant.ts'
import type { EngineContext } from '#engine/context.ts'
import { type AskedAmount, askedMoney } from '#engine/fees/asked-money.ts'
import type { Attempt, AttemptId, NewAttempt } from '#engine/payments/attempt.ts'
import { findAttemptOf } from '#engine/payments/find-attempt.operation.ts'
import { following } from '#engine/payments/follower.ts'
import { newReference } from '#engine/payments/new-reference.operation.ts'
import { outcomeOf, type OutcomeRefusal, paidOutcome } from '#engine/payments/outcome.ts'
import { knownAnswer, recordAtOnce } from '#engine/payments/record-at-once.operation.ts'
import { assert } from '#kernel/assert.ts'
import type { Money } from '#kernel/money.ts'
import { refuse, type Refusal, type Result } from '#kernel/result.ts'
import { randomDigits } from '#platform/crypto/random.ts'

export type BankCreditWish = { readonly debitId: AttemptId; readonly amount: AskedAmount }

type Needs = Pick<EngineContext, 'db' | 'clock' | 'accountClock' | 'followers'>
type CreditRefusal = OutcomeRefusal | 'transaction_not_found' | 'debit_not_creditable' | 'value_out_of_range'

const authorizationDigits = 6

// Gives money back to the account it was taken from, by the file of the next settlement: in full or in parts,
// never more than was taken.
export async function creditBankDebit(
  needs: Needs,
  caller: Caller,
  { debitId, amount: asked }: BankCreditWish,
): Promise<Result<Attempt, CreditRefusal, Attempt>> {
  const own = { account: caller.accountId, attempt: debitId }
  const [debit, item] = await Promise.all([
    findAttemptOf(needs, own),
    findItem(needs.db, { account: caller.accountId, id: debitId }),
  ])
  if (!debit || !worksFor(caller, debit)) return refuse('transaction_not_found', { transaction: debitId })
  if (!item) return refuse('debit_not_creditable', { transaction: debitId, problem: obstacleToCredit(null) })
  const amount = askedMoney(asked, debit.currency)
  if (!amount.ok) return amount
  if (amount.value.minor === 0n)
    return refuse('value_out_of_range', { problem: `${asked.member} must be more than 0` })
  const attempt = creditOf(needs, caller, { debit, item, amount: amount.value })
  const answer = knownAnswer(amount.value, randomDigits(authorizationDigits))
  const [paid] = await needs.db.inTransaction((tx) => recordAtOnce(tx, needs, [{ attempt, answer }]))
  assert(paid, 'whatever is recorded is answered')
  return paidOutcome(paid, isNotCreditable)
}

// The same answer once more, from what is stored.
export async function repeatBankCredit(
  _needs: unknown,
  attempt: Attempt,
): Promise<Result<Attempt, OutcomeRefusal, Attempt>> {
  return outcomeOf(attempt)
}

type Crediting = { readonly debit: Attempt; readonly item: BankItem; readonly amount: Money }

function creditOf({ accountClock }: Needs, caller: Caller, { debit, item, amount }: Crediting): NewAttempt {
  return bankAttempt(caller, {
    kind: 'bank_credit',
    parentId: debit.attemptId,
    merchant: debit.merchantNumber,
    amount,
    details: { ...debit.details, user: '', userId: String(caller.userId), origin: 'API' },
    following: [
      following(bankParentFollower, debit.attemptId, { returnCode: '' }),
      following(bankItemFollower, item.correctedAccountId ?? item.bankAccountId, null),
    ],
    ref: newReference(),
    at: accountClock.now(caller.accountId),
  })
}

function isNotCreditable(refusal: Refusal<string>): refusal is Refusal<'debit_not_creditable'> {
  return refusal.kind === 'debit_not_creditable'
}
