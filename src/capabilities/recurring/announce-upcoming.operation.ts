import { firstMoment } from '#capabilities/recurring/collect-due-payments.operation.ts'
import { collectionMoment, lastCollectionDay } from '#capabilities/recurring/collection-day.ts'
import {
  type Announcement,
  listAccountsToAnnounce,
  listNextAnnouncements,
  takeAnnouncements,
} from '#capabilities/recurring/collection.store.ts'
import { instalmentName } from '#capabilities/recurring/instalment.ts'
import type { PlanEvent } from '#capabilities/recurring/plan.ts'
import { insertPlanEvents } from '#capabilities/recurring/plan-event.store.ts'
import { scheduleEvent } from '#capabilities/recurring/schedule-event.ts'
import type { DiaryEntry, DueMoment, DueSpan } from '#engine/account-clock/due-work.ts'
import { runPortions } from '#engine/account-clock/run-portions.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import type { NewEvent } from '#engine/events/event.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { laterOf } from '#kernel/calendar.ts'
import type { AccountId } from '#kernel/ids.ts'
import { transactAgain } from '#platform/postgres/database.ts'

type Needs = Pick<EngineContext, 'db' | 'merchantReads'>

export function accountsToAnnounce(
  { db }: Pick<Needs, 'db'>,
  at: Temporal.Instant,
): Promise<readonly AccountId[]> {
  return listAccountsToAnnounce(db, dateIn('UTC', at).add({ days: 1 }))
}

export async function nextAnnouncement(needs: Needs, span: DueSpan): Promise<Temporal.Instant | null> {
  const records = await listMerchants(needs, span.accountId)
  return firstMoment(records, span, (after) => listNextAnnouncements(needs.db, span.accountId, after))
}

// Tells of payments some days before they are due, at the time of day at which the record collects, whether
// it does so by itself or not.
export async function announceUpcoming(needs: Needs, due: DueMoment, paymentsAtOnce = 500): Promise<void> {
  for (const record of await listMerchants(needs, due.accountId)) {
    await runPortions(due, paymentsAtOnce, async () => {
      const told = await announcePortion(needs, record, { at: due.at, most: paymentsAtOnce })
      await due.tell(told.map((one) => entryFor(record, one)))
      return told.length
    })
  }
}

function announcePortion(
  { db }: Needs,
  record: Merchant,
  { at, most }: { readonly at: Temporal.Instant; readonly most: number },
): Promise<readonly Announcement[]> {
  const { accountId, merchantNumber: merchant } = record
  const day = lastCollectionDay(record, at)
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
  const because = becauseOf(one)
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
  const because = becauseOf(one)
  return { planId, accountId, instalmentId, what: 'announced', because, attemptRef: null, nextOn: dueOn }
}

// What is made or moved later on the day of its announcement is told of at once.
function entryFor(record: Merchant, one: Announcement): DiaryEntry {
  return {
    at: laterOf(collectionMoment(record, one.announceOn), one.scheduledAt),
    what: 'schedule.upcoming',
    subject: one.instalmentId,
    text: `${instalmentName(one)}: ${becauseOf(one)}`,
  }
}

function becauseOf({ dueOn }: Announcement): string {
  return `Due on ${dueOn.toString()}`
}
