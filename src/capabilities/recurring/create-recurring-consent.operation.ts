import type { ConsentDetails } from '#capabilities/consents/consent.ts'
import {
  createConsent,
  type Created,
  type CreatedConsent,
  findUnverifiedCreation,
  repeatCreation,
} from '#capabilities/consents/create-consent.operation.ts'
import { listInstalments } from '#capabilities/recurring/instalment.store.ts'
import type { InstalmentId } from '#capabilities/recurring/instalment.ts'
import { type PlannedPayment, plannedPayments } from '#capabilities/recurring/payment-plan.ts'
import { noPosting } from '#capabilities/recurring/plan.ts'
import { findPlanOfConsent } from '#capabilities/recurring/plan.store.ts'
import { judgePlan, planConsentTerms, planKind, type PlanWish } from '#capabilities/recurring/plan-terms.ts'
import { planWriter } from '#capabilities/recurring/write-plan.operation.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { GivenCard } from '#capabilities/wire/card-info.wire.ts'
import type { EngineContext } from '#engine/context.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { merchantFor } from '#engine/merchants/merchant.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import { assert } from '#kernel/assert.ts'
import { isExpiredOn, printExpiry } from '#kernel/card-expiry.ts'
import type { MerchantNumber } from '#kernel/ids.ts'
import { type Ok, ok, refuse, type Refused, type Result } from '#kernel/result.ts'

type Needs = EngineContext

export type RecurringWish = PlanWish & {
  readonly card: GivenCard
  readonly merchant: MerchantNumber
  readonly details: ConsentDetails
}

export type WrittenPayment = PlannedPayment & { readonly instalmentId: InstalmentId }
export type CreatedPlan = CreatedConsent & { readonly schedule: readonly WrittenPayment[] }

type CreationRefusal = Extract<Created, Refused<string, unknown>>['refusal']['kind']
type PlanCreated = Result<CreatedPlan, CreationRefusal, Attempt>

const daysBackMax = 31

// Stores a card with the payer's agreement to a plan, and writes every instalment of it. Where the account
// wants it, the issuer is asked first whether the card is good, by an authorization of 0.
export async function createRecurringConsent(
  needs: Needs,
  caller: Caller,
  wish: RecurringWish,
): Promise<PlanCreated> {
  const merchants = await listMerchants(needs, caller.accountId)
  const merchant = merchantFor(caller, merchants, wish.merchant)
  if (!merchant) return refuse('merchant_not_found', { merchant: wish.merchant })
  const today = dateIn(merchant.timeZone, needs.accountClock.now(caller.accountId))
  const { expiry } = wish.card
  if (isExpiredOn(expiry, today)) return refuse('card_expired', { expiry: printExpiry(expiry) })
  const plan = judgePlan(wish, { merchant, today, daysBackMax })
  if (!plan.ok) return plan

  const created = await createConsent(needs, caller, {
    given: wish,
    merchant,
    terms: planConsentTerms(plan.value, today),
    kind: planKind(plan.value),
    alongside: planWriter({ ...caller, merchant, terms: plan.value, posting: noPosting }),
  })
  return created.ok ? ok(await withSchedule(needs, created.value)) : created
}

// The same answer once more, from what is stored.
export async function repeatPlanCreation(needs: Needs, attempt: Attempt): Promise<PlanCreated> {
  const created = await repeatCreation(needs, attempt)
  return created.ok ? ok(await withSchedule(needs, created.value)) : created
}

// The same where the issuer was not asked.
export async function findUnverifiedPlan(
  needs: Pick<Needs, 'db'>,
  caller: Caller,
): Promise<Ok<CreatedPlan> | null> {
  const created = await findUnverifiedCreation(needs, caller)
  return created && ok(await withSchedule(needs, created.value))
}

// As it was agreed, whatever became of it since.
async function withSchedule({ db }: Pick<Needs, 'db'>, created: CreatedConsent): Promise<CreatedPlan> {
  if (created.consentId === null) return { ...created, schedule: [] }
  const plan = await findPlanOfConsent(db, created.consentId)
  assert(plan, 'a recurring consent has a plan')
  const written = await listInstalments(db, plan.planId)
  const schedule = plannedPayments(plan.terms).map((payment, at) => {
    const instalment = written[at]
    assert(instalment?.paymentNumber === payment.paymentNumber, 'every payment of a plan is written')
    return { ...payment, instalmentId: instalment.instalmentId }
  })
  return { ...created, schedule }
}
