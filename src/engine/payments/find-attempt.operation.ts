import type { AcquirerRef } from '#engine/acquirers/acquirer.ts'
import type { Attempt, AttemptId } from '#engine/payments/attempt.ts'
import { findAttempt, findAttemptByRef } from '#engine/payments/attempt.store.ts'
import { findFinalFloor } from '#engine/payments/unresolved.store.ts'
import type { AccountId } from '#kernel/ids.ts'
import type { Queryable } from '#platform/postgres/database.ts'

type Needs = { readonly db: Queryable }

export function findAttemptByReference(
  needs: Needs,
  key: { readonly account: AccountId; readonly ref: AcquirerRef },
): Promise<Attempt | null> {
  return findAttemptByRef(needs.db, key)
}

export function findAttemptOf(
  needs: Needs,
  key: { readonly account: AccountId; readonly attempt: AttemptId },
): Promise<Attempt | null> {
  return findAttempt(needs.db, key)
}

// Below this id no attempt is under way, and no payment will appear any more.
export function floorOfOpenAttempts(needs: Needs): Promise<bigint> {
  return findFinalFloor(needs.db)
}
