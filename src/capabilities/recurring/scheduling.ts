import { collectionDay, type CollectionTime } from '#capabilities/recurring/collection-day.ts'
import { dateIn } from '#engine/merchants/business-date.ts'

// A payer is told so many days before.
const announcedDaysBefore = 3

export type Scheduling = {
  readonly dueOn: Temporal.PlainDate
  readonly attemptOn: Temporal.PlainDate
  readonly collectOn: Temporal.PlainDate
  readonly announceOn: Temporal.PlainDate | null
}

// The days of an instalment that is put on, or moved to, a day.
export function scheduleFor(
  time: CollectionTime,
  { dueOn, at }: { readonly dueOn: Temporal.PlainDate; readonly at: Temporal.Instant },
): Scheduling {
  const collectOn = collectionDay(time, { attemptOn: dueOn, scheduledAt: at })
  return { dueOn, attemptOn: dueOn, collectOn, announceOn: announcementDay(time, { dueOn, at }) }
}

// What is due today or was before is not announced any more.
function announcementDay(
  { timeZone }: CollectionTime,
  { dueOn, at }: { readonly dueOn: Temporal.PlainDate; readonly at: Temporal.Instant },
): Temporal.PlainDate | null {
  const today = dateIn(timeZone, at)
  if (Temporal.PlainDate.compare(dueOn, today) <= 0) return null
  const usual = dueOn.subtract({ days: announcedDaysBefore })
  return Temporal.PlainDate.compare(usual, today) > 0 ? usual : today
}
