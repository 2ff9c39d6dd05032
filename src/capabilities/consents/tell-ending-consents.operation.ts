import {
  type End,
  type EndingConsent,
  listAccountsWithEnds,
  listEnds,
  takeEnding,
} from '#capabilities/consents/consent-ending.store.ts'
import type { DiaryEntry, DueMoment, DueSpan } from '#engine/account-clock/due-work.ts'
import { runPortions } from '#engine/account-clock/run-portions.operation.ts'
import type { EngineContext } from '#engine/context.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import type { NewEvent } from '#engine/events/event.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { earliestOf, laterOf } from '#kernel/calendar.ts'
import type { AccountId } from '#kernel/ids.ts'

type Needs = Pick<EngineContext, 'db'>

const daysBefore = 30

export function accountsWithEndingConsents(
  { db }: Needs,
  at: Temporal.Instant,
): Promise<readonly AccountId[]> {
  return listAccountsWithEnds(db, roughly(at, at))
}

export async function nextConsentToEnd(
  { db }: Needs,
  { accountId: account, after, until }: DueSpan,
): Promise<Temporal.Instant | null> {
  const ends = await listEnds(db, { account, ...roughly(after, until) })
  const moments = ends
    .map(momentOf)
    .filter((at) => Temporal.Instant.compare(at, after) > 0 && Temporal.Instant.compare(at, until) <= 0)
  return earliestOf(moments)
}

// Thirty days before a consent ends its merchant is told, once, so that the payer can be asked in time. A
// consent that is made for less is told of at once.
export async function tellEndingConsents(
  needs: Needs & Pick<EngineContext, 'merchantReads'>,
  due: DueMoment,
  consentsAtOnce = 500,
): Promise<void> {
  const { accountId: account, at } = due
  const records = await listMerchants(needs, account)
  const todays = records.map(({ merchantNumber: merchant, timeZone }) => {
    return { merchant, today: dateIn(timeZone, at) }
  })
  await runPortions(due, consentsAtOnce, async () => {
    const told = await needs.db.inTransaction(async (tx) => {
      const turn = { account, todays, daysBefore, ...roughly(at, at), most: consentsAtOnce }
      const ending = await takeEnding(tx, turn)
      const events = ending.map((consent) => eventOf(account, consent))
      await appendEvents(tx, events, at)
      return ending
    })
    await due.tell(told.map(entryOf))
    return told.length
  })
}

// Dates that may be meant, wherever a record is; a day more on both sides.
function roughly(after: Temporal.Instant, until: Temporal.Instant) {
  return {
    from: dateIn('UTC', after).subtract({ days: 1 }),
    to: dateIn('UTC', until).add({ days: daysBefore + 1 }),
  }
}

function momentOf({ endsOn, timeZone }: End): Temporal.Instant {
  return endsOn.subtract({ days: daysBefore }).toZonedDateTime({ timeZone }).toInstant()
}

function eventOf(accountId: AccountId, consent: EndingConsent): NewEvent {
  const { consentId, merchantNumber, endsOn, lastFour, customerRef, guid } = consent
  const body = { merchant: String(merchantNumber), lastFour, customerRef, guid, endsOn: endsOn.toString() }
  return { accountId, type: 'consent.expiring', objectId: consentId, body }
}

function entryOf(consent: EndingConsent): DiaryEntry {
  return {
    at: laterOf(momentOf(consent), consent.changedAt),
    what: 'consent.expiring',
    subject: consent.consentId,
    text: `Consent ${consent.consentId} ends on ${String(consent.endsOn)}`,
  }
}
