import { defaultDays, yearsAheadMax } from '#capabilities/links/link.ts'
import { parseCalendarDate, parseMoment, readableDates } from '#kernel/calendar.ts'
import { ok, refuse, type Result } from '#kernel/result.ts'

type Dates = {
  // As it was written: which moment it is depends on the record's zone. Empty for the usual 30 days.
  readonly expiresOn: string
  readonly dueOn: Temporal.PlainDate | null
  readonly names: Readonly<Record<'dueOn' | 'expiresOn', string>>
}

type Place = { readonly now: Temporal.Instant; readonly timeZone: string }

// Until when a link can be paid: never before the day on which it is due.
export function expiryOf(
  { expiresOn: text, dueOn, names }: Dates,
  { now, timeZone }: Place,
): Result<Temporal.Instant, 'value_out_of_range'> {
  const last = now.toZonedDateTimeISO(timeZone).add({ years: yearsAheadMax })
  if (dueOn && Temporal.PlainDate.compare(dueOn, last.toPlainDate()) >= 0)
    return no(`${names.dueOn} lies more than ${yearsAheadMax} years ahead`)
  if (text === '') return ok(usualExpiry(dueOn, { now, timeZone }))
  const day = /^[\d/-]+$/.test(text) ? parseCalendarDate(text) : null
  const moment = day ? endOfDay(day, timeZone) : parseMoment(text, timeZone)
  if (!moment) return no(`${names.expiresOn} is not a date that can be read, ${readableDates}`)
  if (Temporal.Instant.compare(moment, last.toInstant()) > 0)
    return no(`${names.expiresOn} lies more than ${yearsAheadMax} years ahead`)
  if (Temporal.Instant.compare(moment, now) <= 0) return no(`${names.expiresOn} lies in the past`)
  const expiryDay = moment.toZonedDateTimeISO(timeZone).toPlainDate()
  return dueOn && Temporal.PlainDate.compare(expiryDay, dueOn) < 0
    ? no(`${names.expiresOn} lies before ${names.dueOn}`)
    : ok(moment)
}

// 30 days, or the end of the day on which it is due if that is later.
function usualExpiry(dueOn: Dates['dueOn'], { now, timeZone }: Place): Temporal.Instant {
  const usual = now.add({ hours: 24 * defaultDays })
  const due = dueOn && endOfDay(dueOn, timeZone)
  return due && Temporal.Instant.compare(due, usual) > 0 ? due : usual
}

// The last second of that day at the merchant's, whenever clocks are changed.
function endOfDay(day: Temporal.PlainDate, timeZone: string): Temporal.Instant {
  return day.add({ days: 1 }).toZonedDateTime({ timeZone }).toInstant().subtract({ seconds: 1 })
}

function no(problem: string) {
  return refuse('value_out_of_range', { problem })
}
