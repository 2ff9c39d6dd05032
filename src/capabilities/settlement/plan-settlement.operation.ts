import { setPlan } from '#capabilities/settlement/settlement-plan.store.ts'
import { isTimeOfDay, type SettlementPlan } from '#capabilities/settlement/settlement-plan.ts'
import type { AccountId, MerchantNumber } from '#kernel/ids.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Queryable } from '#platform/postgres/database.ts'

type Planned = {
  readonly accountId: AccountId
  readonly merchantNumber: MerchantNumber
  readonly plan: SettlementPlan
}

// When a merchant record closes by itself, or that it does not.
export async function planSettlement(
  { db }: { readonly db: Queryable },
  { plan, ...record }: Planned,
): Promise<Result<null, 'no_time_of_day'>> {
  if (!isTimeOfDay(plan.closesAt)) return refuse('no_time_of_day')
  await setPlan(db, record, plan)
  return ok(null)
}
