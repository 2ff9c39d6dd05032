import type { Instalment, InstalmentId } from '#capabilities/recurring/instalment.ts'
import { lockInstalment, readInstalments } from '#capabilities/recurring/instalment.store.ts'
import type { Plan } from '#capabilities/recurring/plan.ts'
import { lockPlans } from '#capabilities/recurring/plan.store.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { worksFor } from '#engine/merchants/merchant.ts'
import type { AccountId } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'

type Locked = { readonly plan: Plan; readonly instalment: Instalment }

// The caller's own instalment for a change: whoever is about to charge it waits, and an attempt that was
// first is seen. The plan is locked before, because that is the order of locks.
export async function lockInstalmentOf(
  tx: Tx,
  caller: Caller,
  schedule: InstalmentId,
): Promise<Result<Locked, 'schedule_not_found'>> {
  const { accountId } = caller
  const [found] = await readInstalments(tx, accountId, [schedule])
  if (!found || !worksFor(caller, found)) return refuse('schedule_not_found', { schedule })
  const [plan] = await lockPlans(tx, [{ account: accountId, plan: found.planId }])
  const instalment = await lockInstalment(tx, accountId, schedule)
  return plan && instalment ? ok({ plan, instalment }) : refuse('schedule_not_found', { schedule })
}

// Many at once, in the order of their ids; what is not the account's is left out.
export function findInstalments(
  { db }: Pick<EngineContext, 'db'>,
  account: AccountId,
  instalments: readonly InstalmentId[],
): Promise<readonly Instalment[]> {
  return readInstalments(db, account, instalments)
}
