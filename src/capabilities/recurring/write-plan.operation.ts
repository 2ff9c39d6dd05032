import type { StoreAlongside } from '#capabilities/consents/create-consent.operation.ts'
import { insertInstalments } from '#capabilities/recurring/new-instalment.store.ts'
import { createdEvent, firstInstalments } from '#capabilities/recurring/new-instalments.ts'
import { newPlanFollower } from '#capabilities/recurring/new-plan.follower.ts'
import { type PlanTerms, usualPayment } from '#capabilities/recurring/payment-plan.ts'
import type { PlanPosting } from '#capabilities/recurring/plan.ts'
import { insertPlanEvents } from '#capabilities/recurring/plan-event.store.ts'
import { insertPlan, type NewPlan } from '#capabilities/recurring/plan.store.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { mostAtOnce } from '#engine/merchants/most-at-once.ts'
import { following } from '#engine/payments/follower.ts'
import type { AccountId } from '#kernel/ids.ts'

type Writing = {
  readonly accountId: AccountId
  readonly merchant: Merchant
  readonly terms: PlanTerms
  readonly posting: PlanPosting
}

// The plan is stored with its consent. While the issuer is being asked it waits as pending; its instalments
// are written when the answer is recorded, by the process that records it.
export function planWriter({ accountId, merchant, terms, posting }: Writing): StoreAlongside {
  return async (tx, { consentId, state, at }) => {
    const { merchantNumber, timeZone, collectsAtMinute } = merchant
    const payment = usualPayment(terms)
    const made: NewPlan = { accountId, merchantNumber, consentId, state, terms, payment, posting, at }
    const planId = await insertPlan(tx, made)
    if (state === 'pending') return [following(newPlanFollower, planId, null)]
    const time = { timeZone, collectsAtMinute }
    const paymentMax = mostAtOnce(merchant)
    const plan = { ...made, planId, total: terms.total, paymentMax, because: '', time }
    await insertInstalments(tx, firstInstalments(plan, at), at)
    await insertPlanEvents(tx, [createdEvent(plan)], at)
    return []
  }
}
