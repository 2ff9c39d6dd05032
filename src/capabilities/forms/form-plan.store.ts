import type { FormPlan } from '#capabilities/forms/form-plan.ts'
import type { Period } from '#capabilities/recurring/period.ts'
import type { Currency } from '#kernel/currency.ts'

// As it is stored with the form.
type StoredPlan = {
  readonly period: Period
  readonly startsOn: string
  readonly payments: number | null
  readonly totalMinor: string
  readonly service: string
}

export function storedPlan({ period, startsOn, payments, total, service }: FormPlan): StoredPlan {
  const day = startsOn?.toString() ?? ''
  return { period, startsOn: day, payments, totalMinor: String(total.minor), service }
}

export function planFromStored(stored: unknown, currency: Currency): FormPlan {
  const { period, startsOn, payments, totalMinor, service } = stored as StoredPlan
  return {
    period,
    startsOn: startsOn === '' ? null : Temporal.PlainDate.from(startsOn),
    payments,
    total: { minor: BigInt(totalMinor), currency },
    service,
  }
}
