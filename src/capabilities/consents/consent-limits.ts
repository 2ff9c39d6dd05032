import { type Consent, isMade } from '#capabilities/consents/consent.ts'
import { hasNoEffect, type Move } from '#engine/payments/attempt.ts'
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

export type Limits = Pick<
  Consent,
  'state' | 'startsOn' | 'endsOn' | 'currency' | 'limitPerCharge' | 'limitLifetime' | 'used'
>

// Why a charge is not let through; null where nothing stands in its way.
export function obstacleTo(use: ConsentUse, limits: Limits): Refusal<ConsentRefusal> | null {
  const { consent, minor, on } = use
  if (!isMade(limits)) return refuse('consent_not_found', { consent }).refusal
  if (limits.state === 'cancelled') return refuse('consent_cancelled', { consent }).refusal
  const { startsOn, endsOn, currency, limitPerCharge, limitLifetime, used } = limits
  if (Temporal.PlainDate.compare(on, startsOn) < 0)
    return refuse('consent_not_begun', { consent, startsOn: startsOn.toString() }).refusal
  if (Temporal.PlainDate.compare(on, endsOn) > 0)
    return refuse('consent_expired', { consent, endedOn: endsOn.toString() }).refusal
  if (minor > limitPerCharge.minor) {
    const told = { asked: printMoney({ minor, currency }), limit: printMoney(limitPerCharge) }
    return refuse('over_limit_per_charge', { consent, ...told }).refusal
  }
  return used.minor + minor > limitLifetime.minor ? overLifetime(use, limits) : null
}

// The same of a charge that was not let through, by its consent as it was right after that charge and those
// beside it. Where nothing is in its way by then, one beside it has given back what was missing.
export function refusalOf(use: ConsentUse, limits: Limits | null): Refusal<ConsentRefusal> {
  if (!limits) return refuse('consent_not_found', { consent: use.consent }).refusal
  return obstacleTo(use, limits) ?? overLifetime(use, limits)
}

function overLifetime({ consent, minor }: ConsentUse, limits: Limits): Refusal<ConsentRefusal> {
  const { currency, limitLifetime, used } = limits
  // A limit may have been lowered below what was used already.
  const left = limitLifetime.minor > used.minor ? limitLifetime.minor - used.minor : 0n
  return refuse('over_lifetime_limit', {
    consent,
    asked: printMoney({ minor, currency }),
    left: printMoney({ minor: left, currency }),
    limit: printMoney(limitLifetime),
  }).refusal
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
