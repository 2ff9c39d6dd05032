import { refuse, type Refused } from '#kernel/result.ts'

const yearsAheadMax = 100

// A bound of what a plan can mean, against slips of the keyboard: a year 9999. Null: it is near enough.
export function tooFarAhead(
  day: Temporal.PlainDate,
  { today, member }: { readonly today: Temporal.PlainDate; readonly member: string },
): Refused<'value_out_of_range'> | null {
  const last = today.add({ years: yearsAheadMax })
  if (Temporal.PlainDate.compare(day, last) <= 0) return null
  return refuse('value_out_of_range', { problem: `${member} lies more than ${yearsAheadMax} years ahead` })
}
