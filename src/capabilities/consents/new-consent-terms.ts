import { type AskedAmount, askedMoneyOrNull } from '#engine/fees/asked-money.ts'
import type { ConsentTerms } from '#capabilities/consents/consent.ts'
import { endOf } from '#capabilities/consents/consent-terms.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { CardExpiry } from '#kernel/card-expiry.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

// What was asked for; null where the merchant record's own terms count.
export type AskedTerms = {
  readonly startsOn: Temporal.PlainDate | null
  readonly days: number | null
  readonly limitPerCharge: AskedAmount | null
  readonly limitLifetime: AskedAmount | null
  // What the caller calls these, so that a refusal can name them.
  readonly names: Readonly<Record<'startsOn' | 'days', string>>
}

type Situation = {
  readonly merchant: Merchant
  readonly expiry: CardExpiry
  readonly today: Temporal.PlainDate
}

export function termsOf(
  asked: AskedTerms,
  { merchant, expiry, today }: Situation,
): Result<ConsentTerms, 'value_out_of_range'> {
  const { currency, limitPerChargeMinor, limitLifetimeMinor, consentDays } = merchant
  const perCharge = askedMoneyOrNull(asked.limitPerCharge, currency)
  if (!perCharge.ok) return perCharge
  const lifetime = askedMoneyOrNull(asked.limitLifetime, currency)
  if (!lifetime.ok) return lifetime
  const { names } = asked
  const startsOn = asked.startsOn ?? today
  const days = asked.days ?? consentDays
  const endsOn = endOf({ startsOn, days, expiry })
  if (Temporal.PlainDate.compare(endsOn, startsOn) < 0)
    return refuse('value_out_of_range', {
      problem: `${names.startsOn} is ${startsOn.toString()}, after the card has expired`,
    })
  if (Temporal.PlainDate.compare(endsOn, today) < 0)
    return refuse('value_out_of_range', {
      problem:
        `${names.startsOn} and ${names.days}: a consent from ${startsOn.toString()} ` +
        `ended on ${endsOn.toString()}`,
    })
  return ok({
    limitPerCharge: perCharge.value ?? { minor: limitPerChargeMinor, currency },
    limitLifetime: lifetime.value ?? { minor: limitLifetimeMinor, currency },
    startsOn,
    endsOn,
    days,
  })
}
