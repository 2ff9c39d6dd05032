// Dates and moments as the interface writes and reads them. See docs/spec-gaps.md, "Dates in" and "Dates
// out".

const isoDate = /^(\d{4})-(\d{2})-(\d{2})$/
const slashedDate = /^(\d{4})\/(\d{2})\/(\d{2})$/
const isoMoment = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?$/
const zoneOffset = /^([+-](?:[01]\d|2[0-3])):?([0-5]\d)$/
const usMoment = /^(\d{1,2})\/(\d{1,2})\/(\d{4})(?: +(\d{1,2}):(\d{2})(?::(\d{2}))?(?: *([AP]M))?)?$/i
const ticks = /^\/Date\((-?\d{1,15})([+-]\d{4})?\)\/$/

// For whoever wrote a date that is none of these.
export const readableDates =
  'such as 2027-01-31, 2027/01/31, 2027-01-31T17:30:00Z, 1/31/2027, 1/31/2027 5:30:00 PM or /Date(1801416600000)/'

// What was written, before anybody decides what a missing zone means.
type Written = {
  readonly date: Temporal.PlainDate
  readonly time: Temporal.PlainTime | null
  readonly offset: string | null
}

// A moment; without a zone of its own it is in the zone given, a date alone is that day's midnight there.
export function parseMoment(text: string, zone: string): Temporal.Instant | null {
  const written = parseWritten(text)
  return written && momentOf(written, zone)
}

// The same as the end of a time: a date alone counts as its whole day, so it is the midnight after it.
export function parseEnd(text: string, zone: string): Temporal.Instant | null {
  const written = parseWritten(text)
  if (!written || written.time) return written && momentOf(written, zone)
  // The midnight after the last day that can be written would be none that can.
  return momentOf({ ...written, date: written.date.add({ days: 1 }) }, zone) ?? lastMoment
}

const lastMoment = Temporal.Instant.from('9999-12-31T23:59:59.999Z')

function momentOf({ date, time, offset }: Written, zone: string): Temporal.Instant | null {
  const local = date.toPlainDateTime(time ?? new Temporal.PlainTime())
  const moment = local.toZonedDateTime(offset ?? zone).toInstant()
  return isInOurEra(moment.toZonedDateTimeISO('UTC').year) ? moment : null
}

// A calendar date counts as it is written: time and zone are ignored, so that what we wrote out reads back
// the same.
export function parseCalendarDate(text: string): Temporal.PlainDate | null {
  return parseWritten(text)?.date ?? null
}

export function laterOf(left: Temporal.Instant, right: Temporal.Instant): Temporal.Instant {
  return Temporal.Instant.compare(left, right) < 0 ? right : left
}

// Of those that are known; null when none is.
export function earliestOf(moments: readonly (Temporal.Instant | null)[]): Temporal.Instant | null {
  const known = moments.filter((moment) => moment !== null)
  return known.toSorted((left, right) => Temporal.Instant.compare(left, right))[0] ?? null
}

export function printMoment(moment: Temporal.Instant): string {
  return moment.toString({ smallestUnit: 'millisecond' })
}

export function printCalendarDate(date: Temporal.PlainDate): string {
  return `${date.toString()}T00:00:00.000Z`
}

// 4/18/2027 7:29:47 AM, in UTC.
export function printUsMoment(moment: Temporal.Instant): string {
  const { year, month, day, hour, minute, second } = moment.toZonedDateTimeISO('UTC')
  const clock = [hour % 12 === 0 ? 12 : hour % 12, twoDigits(minute), twoDigits(second)].join(':')
  return `${month}/${day}/${year} ${clock} ${hour < 12 ? 'AM' : 'PM'}`
}

export function isTimeZone(name: string): boolean {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)
    // Offsets such as +05:00 are accepted by Temporal, but a merchant's zone must know about summer time.
    return /^[A-Za-z]/.test(name)
  } catch {
    return false
  }
}

function parseWritten(text: string): Written | null {
  try {
    const written = writtenInIso(text) ?? writtenInUs(text) ?? writtenInTicks(text)
    return written && isInOurEra(written.date.year) ? written : null
  } catch {
    // Temporal throws on dates that do not exist, such as 30 February.
    return null
  }
}

// Years of four digits: others are written in ways that neither the database nor callers read. There is no 0.
function isInOurEra(year: number): boolean {
  return year >= 1 && year <= 9999
}

function writtenInIso(text: string): Written | null {
  const day = slashedDate.test(text) ? text.replaceAll('/', '-') : text
  if (isoDate.test(day)) return { date: Temporal.PlainDate.from(day), time: null, offset: null }
  const match = isoMoment.exec(text)
  if (!match) return null
  const [, date = '', time = '', offset = null] = match
  return { date: Temporal.PlainDate.from(date), time: Temporal.PlainTime.from(time), offset: zoneOf(offset) }
}

function writtenInUs(text: string): Written | null {
  const match = usMoment.exec(text)
  if (!match) return null
  const [, month, day, year, hour, minute = '0', second = '0', half] = match
  const date = Temporal.PlainDate.from(
    { year: Number(year), month: Number(month), day: Number(day) },
    { overflow: 'reject' },
  )
  if (hour === undefined) return { date, time: null, offset: null }
  const clock = { hour: hourOfDay(Number(hour), half), minute: Number(minute), second: Number(second) }
  return { date, time: Temporal.PlainTime.from(clock, { overflow: 'reject' }), offset: null }
}

// The older JSON notation of this API family: milliseconds since 1970 in UTC; the offset says how it was
// shown.
function writtenInTicks(text: string): Written | null {
  const match = ticks.exec(text)
  if (!match) return null
  const [, milliseconds, shown = null] = match
  const offset = zoneOf(shown) ?? '+00:00'
  const zoned = Temporal.Instant.fromEpochMilliseconds(Number(milliseconds)).toZonedDateTimeISO(offset)
  return { date: zoned.toPlainDate(), time: zoned.toPlainTime(), offset }
}

function zoneOf(offset: string | null): string | null {
  if (offset === null) return null
  if (offset === 'Z') return '+00:00'
  const [, hours, minutes] = zoneOffset.exec(offset) ?? []
  if (hours === undefined) throw new RangeError('no such offset from UTC')
  return `${hours}:${minutes}`
}

function hourOfDay(hour: number, half: string | undefined): number {
  if (half === undefined) return hour
  if (hour < 1 || hour > 12) throw new RangeError('no such hour on a twelve-hour clock')
  return (hour % 12) + (half.toUpperCase() === 'PM' ? 12 : 0)
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}
