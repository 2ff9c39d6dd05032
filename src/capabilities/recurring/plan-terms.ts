import type { ConsentTerms } from '#capabilities/consents/consent.ts'
import { lastPayment, type PlanTerms, usualPayment } from '#capabilities/recurring/payment-plan.ts'
import type { Period } from '#capabilities/recurring/period.ts'
import { tooFarAhead } from '#capabilities/recurring/plan-bounds.ts'
import { type AskedAmount, askedMoney } from '#engine/fees/asked-money.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { mostAtOnce, tooMuchAtOnce } from '#engine/merchants/most-at-once.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

// A plan as it was asked for.
export type PlanWish = {
  // null: today.
  readonly startsOn: Temporal.PlainDate | null
  // null: a subscription.
  readonly payments: number | null
  readonly total: AskedAmount
  readonly period: Period
  // What the caller calls it, so that a refusal can name them.
  readonly names: Readonly<Record<'startsOn', string>>
}

type PlanCase = {
  readonly merchant: Merchant
  readonly today: Temporal.PlainDate
  readonly daysBackMax: number
}

// The plan itself is the limit, and its end the end; both may be changed by agreement.
const limitMinor = 10n ** 15n
const days = 36_500
const lastDay = Temporal.PlainDate.from('9999-12-31')

export function judgePlan(
  { period, payments, total: asked, startsOn: wished, names }: PlanWish,
  { merchant, today, daysBackMax }: PlanCase,
): Result<PlanTerms, 'value_out_of_range'> {
  const startsOn = wished ?? today
  const earliest = today.subtract({ days: daysBackMax })
  if (Temporal.PlainDate.compare(startsOn, earliest) < 0) {
    const back = daysBackMax === 0 ? 'in the past' : `more than ${daysBackMax} days back`
    return outOfRange(`${names.startsOn} is ${back}`)
  }
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

// Of the consent that the plan's card is stored under.
export function planConsentTerms(
  { startsOn, total: { currency } }: PlanTerms,
  today: Temporal.PlainDate,
): ConsentTerms {
  const limit = { minor: limitMinor, currency }
  const isBack = Temporal.PlainDate.compare(startsOn, today) < 0
  const begins = isBack ? startsOn : today
  return { limitPerCharge: limit, limitLifetime: limit, startsOn: begins, endsOn: lastDay, days }
}

// R and S of the interface: with an end or without.
export function planKind({ payments }: Pick<PlanTerms, 'payments'>): 'R' | 'S' {
  return payments === null ? 'S' : 'R'
}
