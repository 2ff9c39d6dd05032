type KnownDate = { readonly minute: number; readonly date: Temporal.PlainDate }

const latest = new Map<string, KnownDate>()

// The business date: what the calendar says at the merchant record. A day begins with a minute, and a busy
// record asks many times in one.
export function dateIn(zone: string, now: Temporal.Instant): Temporal.PlainDate {
  const minute = Math.floor(now.epochMilliseconds / 60_000)
  const known = latest.get(zone)
  if (known?.minute === minute) return known.date
  const date = now.toZonedDateTimeISO(zone).toPlainDate()
  latest.set(zone, { minute, date })
  return date
}
