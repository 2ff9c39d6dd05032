import { Complaint } from '#apps/complaint.ts'
import { parseEnd, parseMoment } from '#kernel/calendar.ts'

// For every command that takes --from and --to.
export const spanExplanation =
  'WHEN is a moment such as 2027-01-31T17:30:00Z, in UTC where it names no zone, or a day such as ' +
  '2027-01-31: the whole day in UTC.'

export function beginOf(text: string): Temporal.Instant {
  return readOrComplain(parseMoment, text)
}

export function endOf(text: string): Temporal.Instant {
  return readOrComplain(parseEnd, text)
}

// The evening of a day does not lie after the day.
export function refuseBackwards(from: string, to: string): void {
  const begin = beginOf(from)
  const isAfterBegin = Temporal.Instant.compare(begin, beginOf(to)) > 0
  if (isAfterBegin && Temporal.Instant.compare(begin, endOf(to)) >= 0)
    throw new Complaint('--from lies after --to.')
}

function readOrComplain(read: typeof parseMoment, text: string): Temporal.Instant {
  const moment = read(text, 'UTC')
  if (!moment) throw new Complaint(`${text} is no day or moment such as 2027-01-31 or 2027-01-31T00:00:00Z.`)
  return moment
}
