import { type CardExpiry, lastDayOf } from '#kernel/card-expiry.ts'

type Term = {
  readonly startsOn: Temporal.PlainDate
  readonly days: number
  readonly expiry: CardExpiry
}

// So many days after the start, but never past the card's expiry.
export function endOf({ startsOn, days, expiry }: Term): Temporal.PlainDate {
  const asked = startsOn.add({ days })
  const last = lastDayOf(expiry)
  return Temporal.PlainDate.compare(asked, last) < 0 ? asked : last
}
