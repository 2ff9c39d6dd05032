// How often a plan is paid. In the order of their numbers, 1 to 8.
export const periods = [
  'WEEKLY',
  'BI_WEEKLY',
  'TWICE_MONTHLY',
  'MONTHLY',
  'BI_MONTHLY',
  'QUARTERLY',
  'SEMI_ANNUALLY',
  'ANNUALLY',
] as const

export type Period = (typeof periods)[number]

// 1 WEEKLY, 2 BI_WEEKLY and so on, for people.
export const periodNames = periods.map((period, at) => `${at + 1} ${period}`).join(', ')

// A number from 1 to 8 or a name, in letters of either size.
export function periodFrom(given: number | string): Period | null {
  const text = String(given).toUpperCase()
  const numbered = /^[1-8]$/.test(text) ? periods[Number(text) - 1] : undefined
  return numbered ?? periods.find((period) => period === text) ?? null
}

type Step = { readonly weeks: number } | { readonly months: number } | 'twice a month'

const steps: Readonly<Record<Period, Step>> = {
  WEEKLY: { weeks: 1 },
  BI_WEEKLY: { weeks: 2 },
  TWICE_MONTHLY: 'twice a month',
  MONTHLY: { months: 1 },
  BI_MONTHLY: { months: 2 },
  QUARTERLY: { months: 3 },
  SEMI_ANNUALLY: { months: 6 },
  ANNUALLY: { months: 12 },
}

// The day of the nth payment, counted from 1. Always reckoned from the start, so that a short month shortens
// itself only: 31 January, 28 February, 31 March.
export function dueDay(
  { period, startsOn }: { readonly period: Period; readonly startsOn: Temporal.PlainDate },
  paymentNumber: number,
): Temporal.PlainDate {
  const step = steps[period]
  const times = paymentNumber - 1
  if (step === 'twice a month') return halfMonth(startsOn, times)
  return 'weeks' in step
    ? startsOn.add({ weeks: step.weeks * times })
    : startsOn.add({ months: step.months * times })
}

// Two days fifteen apart, each at most the month's last: 31 January, 16 February, 28 February, 16 March.
function halfMonth(startsOn: Temporal.PlainDate, times: number): Temporal.PlainDate {
  const startsEarly = startsOn.day <= 15
  const early = startsEarly ? startsOn.day : startsOn.day - 15
  const halves = startsEarly ? times : times + 1
  const day = halves % 2 === 0 ? early : early + 15
  return startsOn
    .with({ day: 1 })
    .add({ months: Math.floor(halves / 2) })
    .with({ day })
}
