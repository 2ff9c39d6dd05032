import type { ConsentDetails, ConsentTerms } from '#capabilities/consents/consent.ts'
import {
  type StoreAlongside,
  createConsent,
  type Created,
  type CreatedConsent,
  findUnverifiedCreation,
  repeatCreation,
} from '#capabilities/consents/create-consent.operation.ts'
import { listInstalments } from '#capabilities/recurring/instalment.store.ts'
import type { InstalmentId } from '#capabilities/recurring/instalment.ts'
import { insertInstalments } from '#capabilities/recurring/new-instalment.store.ts'
import { createdEvent, firstInstalments } from '#capabilities/recurring/new-instalments.ts'
import { newPlanFollower } from '#capabilities/recurring/new-plan.follower.ts'
import {
  type PlannedPayment,
  lastPayment,
  plannedPayments,
  type PlanTerms,
  usualPayment,
} from '#capabilities/recurring/payment-plan.ts'
import { tooFarAhead } from '#capabilities/recurring/plan-bounds.ts'
import type { Period } from '#capabilities/recurring/period.ts'
import { findPlanOfConsent, insertPlan, type NewPlan } from '#capabilities/recurring/plan.store.ts'
import { insertPlanEvents } from '#capabilities/recurring/plan-event.store.ts'
import type { Caller } from '#capabilities/wire/caller.ts'
import type { GivenCard } from '#capabilities/wire/card-info.wire.ts'
import type { EngineContext } from '#engine/context.ts'
import { type AskedAmount, askedMoney } from '#engine/fees/asked-money.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { type Merchant, merchantFor } from '#engine/merchants/merchant.ts'
import { mostAtOnce, tooMuchAtOnce } from '#engine/merchants/most-at-once.ts'
import type { Attempt } from '#engine/payments/attempt.ts'
import { following } from '#engine/payments/follower.ts'
import { assert } from '#kernel/assert.ts'
import { isExpiredOn, printExpiry } from '#kernel/card-expiry.ts'
import type { MerchantNumber } from '#kernel/ids.ts'
import { type Ok, ok, refuse, type Refused, type Result } from '#kernel/result.ts'

type Needs = Omit<EngineContext, 'keyRing'>

export type RecurringWish = {
  readonly card: GivenCard
  readonly merchant: MerchantNumber
  readonly details: ConsentDetails
  // null: today.
  readonly startsOn: Temporal.PlainDate | null
  // null: a subscription.
  readonly payments: number | null
  readonly total: AskedAmount
  readonly period: Period
  // What the caller calls it, so that a refusal can name it.
  readonly names: Readonly<Record<'startsOn', string>>
}

export type WrittenPayment = PlannedPayment & { readonly instalmentId: InstalmentId }
export type CreatedPlan = CreatedConsent & { readonly schedule: readonly WrittenPayment[] }

type CreationRefusal = Extract<Created, Refused<string, unknown>>['refusal']['kind']
type PlanCreated = Result<CreatedPlan, CreationRefusal, Attempt>

const daysBackMax = 31
// The plan itself is the limit, and its end the end; both may be changed by agreement.
const limitMinor = 10n ** 15n
const days = 36_500
const lastDay = Temporal.PlainDate.from('9999-12-31')

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
  const plan = planTerms(wish, merchant, today)
  if (!plan.ok) return plan

  const created = await createConsent(needs, caller, {
    given: wish,
    merchant,
    terms: consentTerms(plan.value, today),
    kind: wish.payments === null ? 'S' : 'R',
    alongside: planWriter(caller, merchant, plan.value),
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

function planTerms(
  { period, payments, total: asked, startsOn: wished, names }: RecurringWish,
  merchant: Merchant,
  today: Temporal.PlainDate,
): Result<PlanTerms, 'value_out_of_range'> {
  const startsOn = wished ?? today
  const earliest = today.subtract({ days: daysBackMax })
  if (Temporal.PlainDate.compare(startsOn, earliest) < 0)
    return outOfRange(`${names.startsOn} is more than ${daysBackMax} days back`)
  const distant = tooFarAhead(startsOn, { today, member: names.startsOn })
  if (distant) return distant
  const money = askedMoney(asked, merchant.currency)
  if (!money.ok) return money
  const total = money.value
  if (usualPayment({ payments, total }).minor <= 0n)
    return outOfRange(`${asked.member} is too small for so many payments`)
  const bound = { most: mostAtOnce(merchant), member: asked.member }
  const excess = tooMuchAtOnce(lastPayment({ payments, total }), bound)
  return excess ?? ok({ period, startsOn, payments, total })
}

function outOfRange(problem: string) {
  return refuse('value_out_of_range', { problem })
}

function consentTerms({ startsOn, total: { currency } }: PlanTerms, today: Temporal.PlainDate): ConsentTerms {
  const limit = { minor: limitMinor, currency }
  const isBack = Temporal.PlainDate.compare(startsOn, today) < 0
  const begins = isBack ? startsOn : today
  return { limitPerCharge: limit, limitLifetime: limit, startsOn: begins, endsOn: lastDay, days }
}

// The plan is stored with its consent. While the issuer is being asked it waits as pending; its instalments
// are written when the answer is recorded, by whoever records it.
function planWriter({ accountId }: Caller, merchant: Merchant, terms: PlanTerms): StoreAlongside {
  return async (tx, { consentId, state, at }) => {
    const { merchantNumber, timeZone, collectsAtMinute } = merchant
    const payment = usualPayment(terms)
    const made: NewPlan = { accountId, merchantNumber, consentId, state, terms, payment, at }
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
