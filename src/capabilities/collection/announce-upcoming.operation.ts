import { firstMoment } from '#capabilities/collection/collect-due-payments.operation.ts'
import { listAccountsToAnnounce, listNextAnnouncements } from '#capabilities/collection/collection.store.ts'
import { announceInstalments } from '#capabilities/recurring/announce-instalments.operation.ts'
import { type Announcement, announcementText } from '#capabilities/recurring/announcement.ts'
import { collectionMoment, lastCollectionDay } from '#capabilities/recurring/collection-day.ts'
import { instalmentName } from '#capabilities/recurring/instalment.ts'
import type { DiaryEntry, DueMoment, DueSpan } from '#engine/account-clock/due-work.ts'
import { runPortions } from '#engine/account-clock/run-portions.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { laterOf } from '#kernel/calendar.ts'
import type { AccountId } from '#kernel/ids.ts'

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
      const portion = { day: lastCollectionDay(record, due.at), most: paymentsAtOnce, at: due.at }
      const told = await announceInstalments(needs, record, portion)
      await due.tell(told.map((one) => entryFor(record, one)))
      return told.length
    })
  }
}

// What is made or moved later on the day of its announcement is told of at once.
function entryFor(record: Merchant, one: Announcement): DiaryEntry {
  return {
    at: laterOf(collectionMoment(record, one.announceOn), one.scheduledAt),
    what: 'schedule.upcoming',
    subject: one.instalmentId,
    text: `${instalmentName(one)}: ${announcementText(one)}`,
  }
}
