import { dateIn } from '#engine/merchants/business-date.ts'

// When a merchant record closes its day by itself: at a time of day in its own zone.
export type SettlementPlan = {
  readonly isAutomatic: boolean
  // 23:30
  readonly closesAt: string
}

export const usualPlan: SettlementPlan = { isAutomatic: true, closesAt: '23:30' }

export function isTimeOfDay(text: string): boolean {
  return /^([01]\d|2[0-3]):[0-5]\d$/.test(text)
}

type When = { readonly closesAt: string; readonly timeZone: string }

// The first cut-off after a moment. A time that a clock change leaves out comes later by as much as it leaves
// out, which may be after midnight: then yesterday's is still to come. One that comes twice counts the first
// time.
export function nextCutOff({ closesAt, timeZone }: When, after: Temporal.Instant): Temporal.Instant {
  const today = dateIn(timeZone, after)
  for (let days = -1; days <= 2; days += 1) {
    const cutOff = today.add({ days }).toZonedDateTime({ timeZone, plainTime: closesAt }).toInstant()
    if (Temporal.Instant.compare(cutOff, after) > 0) return cutOff
  }
  throw new Error('Broken promise: every day has its cut-off')
}
