import { findItem } from '#capabilities/bank-debits/bank-item.store.ts'
import type { BankItem } from '#capabilities/bank-debits/bank-item.ts'
import type { AttemptId } from '#engine/payments/attempt.ts'
import type { AccountId } from '#kernel/ids.ts'
import type { Queryable } from '#platform/postgres/database.ts'

export type BankDebitStanding = Pick<BankItem, 'status' | 'returnCode'>

// What became of a debit at its bank; null when there is no such debit.
export async function findBankDebit(
  { db }: { readonly db: Queryable },
  key: { readonly account: AccountId; readonly id: AttemptId },
): Promise<BankDebitStanding | null> {
  return findItem(db, key)
}
