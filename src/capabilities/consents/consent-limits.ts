import { type ConsentState, isMade } from '#capabilities/consents/consent.ts'
import { hasNoEffect, type Move } from '#engine/payments/attempt.ts'
import type { Currency } from '#kernel/currency.ts'
import { printMoney } from '#kernel/money.ts'
import { refuse, type Refusal } from '#kernel/result.ts'

export type ConsentRefusal =
  | 'consent_not_found'
  | 'consent_cancelled'
  | 'consent_not_begun'
  | 'consent_expired'
  | 'over_limit_per_charge'
  | 'over_lifetime_limit'

const refusals: ReadonlySet<string> = new Set<ConsentRefusal>([
  'consent_not_found',
  'consent_cancelled',
  'consent_not_begun',
  'consent_expired',
  'over_limit_per_charge',
  'over_lifetime_limit',
])

export function isConsentRefusal(refusal: Refusal<string>): refusal is Refusal<ConsentRefusal> {
  return refusals.has(refusal.kind)
}

// What one charge takes of a consent.
export type ConsentUse = {
  readonly consent: bigint
  readonly minor: bigint
  readonly on: Temporal.PlainDate
}

// A consent that did not let a charge through, as it was right after that charge and those beside it.
export type Limits = {
  readonly state: ConsentState
  readonly startsOn: Temporal.PlainDate
  readonly endsOn: Temporal.PlainDate
  readonly currency: Currency
  readonly limitPerChargeMinor: bigint
  readonly limitLifetimeMinor: bigint
  readonly usedMinor: bigint
}

// Why a charge was not let through. What is left, when nothing else is wrong, is the limit for a lifetime.
export function refusalOf(
  { consent, minor, on }: ConsentUse,
  limits: Limits | null,
): Refusal<ConsentRefusal> {
  if (!limits || !isMade(limits)) return refuse('consent_not_found', { consent }).refusal
  if (limits.state === 'cancelled') return refuse('consent_cancelled', { consent }).refusal
  const { startsOn, endsOn } = limits
  if (Temporal.PlainDate.compare(on, startsOn) < 0)
    return refuse('consent_not_begun', { consent, startsOn: startsOn.toString() }).refusal
  if (Temporal.PlainDate.compare(on, endsOn) > 0)
    return refuse('consent_expired', { consent, endedOn: endsOn.toString() }).refusal
  return overLimit({ consent, minor }, limits)
}

function overLimit({ consent, minor }: Omit<ConsentUse, 'on'>, limits: Limits): Refusal<ConsentRefusal> {
  const { currency, limitPerChargeMinor: perCharge, limitLifetimeMinor: lifetime, usedMinor } = limits
  const print = (amount: bigint) => printMoney({ minor: amount, currency })
  const asked = print(minor)
  if (minor > perCharge)
    return refuse('over_limit_per_charge', { consent, asked, limit: print(perCharge) }).refusal
  // A limit may have been lowered below what was used already.
  const left = lifetime > usedMinor ? lifetime - usedMinor : 0n
  const told = { consent, asked, left: print(left), limit: print(lifetime) }
  return refuse('over_lifetime_limit', told).refusal
}

// What a move gives back to the consent. Each move happens once, so nothing is given back twice; what is
// unknown, or still has to be reversed, keeps its share.
export function givenBackBy({ attempt, to }: Move): bigint {
  const { kind, amounts, approved } = attempt
  if (kind === 'void') return to === 'approved' ? approved.total.minor : 0n
  if (kind !== 'sale') return 0n
  if (to === 'partial') return amounts.total.minor - approved.total.minor
  return hasNoEffect(to) ? amounts.total.minor : 0n
}
