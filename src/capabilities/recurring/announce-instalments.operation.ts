import { type Announcement, announcementText } from '#capabilities/recurring/announcement.ts'
import { takeAnnouncements } from '#capabilities/recurring/announcement.store.ts'
import type { PlanEvent } from '#capabilities/recurring/plan.ts'
import { insertPlanEvents } from '#capabilities/recurring/plan-event.store.ts'
import { scheduleEvent } from '#capabilities/recurring/schedule-event.ts'
import type { EngineContext } from '#engine/context.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import type { NewEvent } from '#engine/events/event.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { transactAgain } from '#platform/postgres/database.ts'

type Announcing = {
  readonly day: Temporal.PlainDate
  readonly most: number
  readonly at: Temporal.Instant
}

// Tells of the payments of a record that are to be announced on this day or were before, some at once.
export function announceInstalments(
  { db }: Pick<EngineContext, 'db'>,
  record: Merchant,
  { day, most, at }: Announcing,
): Promise<readonly Announcement[]> {
  const { accountId, merchantNumber: merchant } = record
  return transactAgain(db, async (tx) => {
    const taken = await takeAnnouncements(tx, { accountId, merchant, day, most })
    await appendEvents(
      tx,
      taken.map((one) => eventFor(record, one)),
      at,
    )
    await insertPlanEvents(
      tx,
      taken.map((one) => planEventFor(record, one)),
      at,
    )
    return taken
  })
}

function eventFor({ accountId, merchantNumber }: Merchant, one: Announcement): NewEvent {
  const { planId, consentId, dueOn, ...facts } = one
  const plan = { accountId, planId, consentId, merchantNumber }
  const because = announcementText(one)
  return scheduleEvent('schedule.upcoming', {
    ...facts,
    plan,
    dueOn,
    transaction: null,
    code: '',
    because,
    nextOn: dueOn,
  })
}

function planEventFor({ accountId }: Merchant, one: Announcement): PlanEvent {
  const { planId, instalmentId, dueOn } = one
  const because = announcementText(one)
  return { planId, accountId, instalmentId, what: 'announced', because, attemptRef: null, nextOn: dueOn }
}
