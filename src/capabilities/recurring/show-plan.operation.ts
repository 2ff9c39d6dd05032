import type { ConsentId } from '#capabilities/consents/consent.ts'
import type { Instalment } from '#capabilities/recurring/instalment.ts'
import { countPlansThatGoOn, listInstalments } from '#capabilities/recurring/instalment.store.ts'
import type { Plan } from '#capabilities/recurring/plan.ts'
import { findPlanOfConsent } from '#capabilities/recurring/plan.store.ts'
import { listPlanEvents, type PastPlanEvent } from '#capabilities/recurring/plan-event.store.ts'
import type { EngineContext } from '#engine/context.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { merchantNumbered } from '#engine/merchants/merchant.ts'
import { assert } from '#kernel/assert.ts'
import type { AccountId } from '#kernel/ids.ts'

export type ShownPlan = {
  readonly plan: Plan
  readonly instalments: readonly Instalment[]
  readonly history: readonly PastPlanEvent[]
  // What is tried next; null when nothing is.
  readonly next: Instalment | null
  // So many days ago it was to be tried; 0 where that is today or still to come.
  readonly overdueDays: number
  // Whether that happens by itself, or waits for somebody to call for it.
  readonly isCollected: boolean
}

type Needs = Pick<EngineContext, 'db' | 'accountClock' | 'merchantReads'>

// For operators, who see all accounts: where every payment of a plan stands, and why.
export async function showPlan(needs: Needs, consent: ConsentId): Promise<ShownPlan | null> {
  const { db, accountClock } = needs
  const plan = await findPlanOfConsent(db, consent)
  if (!plan) return null
  const { planId, accountId, merchantNumber } = plan
  const [instalments, history, merchants] = await Promise.all([
    listInstalments(db, planId),
    listPlanEvents(db, planId),
    listMerchants(needs, accountId),
  ])
  const merchant = merchantNumbered(merchants, merchantNumber)
  assert(merchant, 'a plan belongs to a merchant record of its account')
  const [next = null] = instalments
    .filter(({ state }) => state === 'scheduled')
    .toSorted((left, right) => Temporal.PlainDate.compare(left.attemptOn, right.attemptOn))
  const today = dateIn(merchant.timeZone, accountClock.now(accountId))
  const overdueDays = next ? Math.max(0, next.attemptOn.until(today, { largestUnit: 'day' }).days) : 0
  return { plan, instalments, history, next, overdueDays, isCollected: merchant.collectsAutomatically }
}

// Those of which something is still to be collected.
export function countPlans({ db }: Pick<EngineContext, 'db'>, account: AccountId): Promise<bigint> {
  return countPlansThatGoOn(db, account)
}
