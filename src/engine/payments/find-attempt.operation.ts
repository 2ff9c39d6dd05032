import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { Attempt, AttemptId, AttemptKey, CreditedAttempt } from '#engine/payments/attempt.ts'
import {
  findAttempt,
  findAttemptById,
  findAttemptByRef,
  findAttempts,
  findUnsentRefs,
} from '#engine/payments/attempt.store.ts'
import { findFinalFloor } from '#engine/payments/unresolved.store.ts'
import type { AccountId } from '#kernel/ids.ts'
import { shareStatement } from '#platform/postgres/batcher.ts'
import type { Queryable } from '#platform/postgres/database.ts'

type Needs = { readonly db: Queryable }

export type AttemptReads = { add(key: AttemptKey): Promise<CreditedAttempt | null> }

// Callers that ask at the same time share one statement.
export function attemptReader({ db }: Needs): AttemptReads {
  return shareStatement((keys) => findAttempts(db, keys))
}

export function findAttemptByReference(
  needs: Needs,
  key: { readonly account: AccountId; readonly ref: AcquirerRef },
): Promise<Attempt | null> {
  return findAttemptByRef(needs.db, key)
}

export function findUnsentReferences(
  needs: Needs,
  among: { readonly account: AccountId; readonly refs: readonly AcquirerRef[] },
): Promise<readonly AcquirerRef[]> {
  return findUnsentRefs(needs.db, among)
}

export function findAttemptOf(needs: Needs, key: AttemptKey): Promise<Attempt | null> {
  return findAttempt(needs.db, key)
}

// For operators, who see every account.
export function findAnyAttempt(needs: Needs, id: AttemptId): Promise<Attempt | null> {
  return findAttemptById(needs.db, id)
}

// Of many at once, those that there are.
export async function findAttemptsOf(needs: Needs, keys: readonly AttemptKey[]): Promise<readonly Attempt[]> {
  const found = await findAttempts(needs.db, keys)
  return found.flatMap((one) => (one ? [one.attempt] : []))
}

// Below this id no attempt is under way, and no payment will appear any more.
export function floorOfOpenAttempts(needs: Needs): Promise<bigint> {
  return findFinalFloor(needs.db)
}
