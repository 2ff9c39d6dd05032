import { dateIn } from '#engine/merchants/business-date.ts'

// When a merchant record collects by itself: once a day, at a time of its own zone.
export type CollectionTime = { readonly timeZone: string; readonly collectsAtMinute: number }

// The moment of a day's run. A time that a clock change leaves out comes later by as much as it leaves out,
// which may be after midnight; one that comes twice counts the first time.
export function collectionMoment(
  { timeZone, collectsAtMinute }: CollectionTime,
  day: Temporal.PlainDate,
): Temporal.Instant {
  const minute = collectsAtMinute % 60
  const plainTime = Temporal.PlainTime.from({ hour: (collectsAtMinute - minute) / 60, minute })
  return day.toZonedDateTime({ timeZone, plainTime }).toInstant()
}

// The last day whose run is at or before this moment.
export function lastCollectionDay(time: CollectionTime, at: Temporal.Instant): Temporal.PlainDate {
  let day = dateIn(time.timeZone, at)
  while (Temporal.Instant.compare(collectionMoment(time, day), at) > 0) day = day.subtract({ days: 1 })
  return day
}

// The first day whose run can take what may be charged from `attemptOn` and was scheduled at this moment:
// what is scheduled after a day's run waits for the next one.
export function collectionDay(
  time: CollectionTime,
  {
    attemptOn,
    scheduledAt,
  }: { readonly attemptOn: Temporal.PlainDate; readonly scheduledAt: Temporal.Instant },
): Temporal.PlainDate {
  const next = lastCollectionDay(time, scheduledAt).add({ days: 1 })
  return Temporal.PlainDate.compare(attemptOn, next) > 0 ? attemptOn : next
}
