import type { Consent } from '#capabilities/consents/consent.ts'
import { type ConsentNeeds, findRecurringConsentOf } from '#capabilities/consents/find-consent.operation.ts'
import {
  type ConsentChanges,
  type ModifiedConsent,
  modifyConsent,
} from '#capabilities/consents/modify-consent.operation.ts'
import { repriceScheduled } from '#capabilities/recurring/instalment-move.store.ts'
import { findPlanOfConsent, lockPlans, repricePlan } from '#capabilities/recurring/plan.store.ts'
import { insertPlanEvents } from '#capabilities/recurring/plan-event.store.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { EngineContext } from '#engine/context.ts'
import { type AskedAmount, askedMoney } from '#engine/fees/asked-money.ts'
import { tooMuchAtOnce } from '#engine/merchants/most-at-once.ts'
import { assert } from '#kernel/assert.ts'
import { printMoney } from '#kernel/money.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'
import type { Tx } from '#platform/postgres/database.ts'

export type RecurringChanges = Omit<ConsentChanges, 'days' | 'limitPerCharge' | 'limitLifetime'> & {
  // For all instalments that are still scheduled; null leaves them as they are.
  readonly payment: AskedAmount | null
}

type Needs = Pick<EngineContext, 'db' | 'clock' | 'accountClock' | 'vault'> & ConsentNeeds
type ModifyRefusal =
  | 'consent_not_found'
  | 'consent_cancelled'
  | 'invalid_card'
  | 'card_expired'
  | 'value_out_of_range'

// Changes what is known of a recurring consent, and what its payments cost from now on. The stored card
// number stays.
export async function modifyRecurringConsent(
  needs: Needs,
  caller: Caller,
  { payment, ...changes }: RecurringChanges,
): Promise<Result<ModifiedConsent, ModifyRefusal>> {
  const found = await findRecurringConsentOf(needs, caller, changes.consentId)
  if (!found.ok) return found
  return modifyConsent(needs, caller, {
    changes: { ...changes, days: null, limitPerCharge: null, limitLifetime: null },
    home: found.value.home,
    alongside: (tx, { consent, at }) => reprice(tx, { consent, payment, at }),
  })
}

type Repricing = {
  readonly consent: Consent
  readonly payment: AskedAmount | null
  readonly at: Temporal.Instant
}

async function reprice(
  tx: Tx,
  { consent, payment, at }: Repricing,
): Promise<Result<boolean, 'value_out_of_range'>> {
  if (payment === null) return ok(false)
  const asked = askedMoney(payment, consent.currency)
  if (!asked.ok) return asked
  const amount = asked.value
  const found = await findPlanOfConsent(tx, consent.consentId)
  assert(found, 'a recurring consent has a plan')
  const { accountId, planId } = found
  const [plan] = await lockPlans(tx, [{ account: accountId, plan: planId }])
  assert(plan, 'a plan stays')
  const excess = tooMuchAtOnce(amount, { most: plan.paymentMax, member: payment.member })
  if (excess) return excess
  const changed = await repriceScheduled(tx, { plan, amount, at })
  if (changed === 0) {
    return refuse('value_out_of_range', { problem: `${payment.member}: no payment is scheduled any more` })
  }
  await repricePlan(tx, { planId, payment: amount, at })
  const because = `${changed} payments cost ${printMoney(amount)} from now on`
  const nothing = { instalmentId: null, attemptRef: null, nextOn: null }
  await insertPlanEvents(tx, [{ planId, accountId, ...nothing, what: 'repriced', because }], at)
  return ok(true)
}
