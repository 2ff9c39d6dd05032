import { bankAttempt } from '#capabilities/bank-debits/bank-attempt.ts'
import type { BankItem } from '#capabilities/bank-debits/bank-item.ts'
import { bankParentFollower } from '#capabilities/bank-debits/bank-parent.follower.ts'
import { lockUnsentCredits } from '#capabilities/bank-debits/held-credit.store.ts'
import type { EngineContext } from '#engine/context.ts'
import { following } from '#engine/payments/follower.ts'
import { newReference } from '#engine/payments/new-reference.operation.ts'
import { knownAnswer, recordAtOnce } from '#engine/payments/record-at-once.operation.ts'
import { assert } from '#kernel/assert.ts'
import type { Tx } from '#platform/postgres/database.ts'

type Needs = Pick<EngineContext, 'clock' | 'accountClock' | 'followers'>

// A debit with the code under which it has come back.
export type ReturnedDebit = { readonly item: BankItem; readonly code: string }

// The payer has the money again, so what was to be given back of these debits is not sent any more. Whatever
// is in a batch is on its way and stays: a batch is never made anew. Part of a transaction that holds the
// debits, so that no credit comes in between.
export async function holdBackCredits(
  needs: Needs,
  tx: Tx,
  debits: readonly ReturnedDebit[],
): Promise<readonly BankItem[]> {
  if (debits.length === 0) return []
  const codes = new Map<bigint, string>(debits.map(({ item, code }) => [item.attemptId, code]))
  const credits = await lockUnsentCredits(tx, [...codes.keys()])
  const attempts = credits.map((item) => holdingBack(needs, item, codes.get(item.parentId ?? 0n) ?? ''))
  const recorded = await recordAtOnce(tx, needs, attempts)
  assert(
    recorded.every(({ kind }) => kind === 'recorded'),
    'a credit that is held by this transaction stays as it is',
  )
  return credits
}

// It posts the opposite of the credit, as if the credit had come back, and is told as what it is: a void.
function holdingBack({ accountClock }: Needs, item: BankItem, code: string) {
  const attempt = bankAttempt(
    { accountId: item.accountId, callerKey: null },
    {
      kind: 'bank_credit_return',
      parentId: item.attemptId,
      merchant: item.merchantNumber,
      amount: item.total,
      details: { ...item.details, user: '', userId: '', neverSent: true },
      following: [following(bankParentFollower, item.attemptId, { returnCode: '' })],
      ref: newReference(),
      at: accountClock.now(item.accountId),
    },
  )
  return { attempt, answer: knownAnswer(item.total, code) }
}
