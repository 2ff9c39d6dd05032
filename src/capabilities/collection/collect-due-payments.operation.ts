import {
  listAccountsToCollect,
  listNextCollections,
  type RecordDay,
} from '#capabilities/collection/collection.store.ts'
import { runDue } from '#capabilities/collection/process-due-payments.operation.ts'
import { portionSize, type RunNeeds } from '#capabilities/collection/run-instalments.operation.ts'
import { collectionMoment, lastCollectionDay } from '#capabilities/recurring/collection-day.ts'
import { type Instalment, instalmentName, type InstalmentState } from '#capabilities/recurring/instalment.ts'
import { findInstalments } from '#capabilities/recurring/find-instalment.operation.ts'
import type { DiaryEntry, DueMoment, DueSpan } from '#engine/account-clock/due-work.ts'
import { dateIn } from '#engine/merchants/business-date.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import { type Merchant, merchantNumbered } from '#engine/merchants/merchant.ts'
import { earliestOf } from '#kernel/calendar.ts'
import type { AccountId } from '#kernel/ids.ts'

type Needs = Pick<RunNeeds, 'db' | 'merchantReads'>

// Accounts with something to collect. A day more than the date in Greenwich: somewhere it is tomorrow.
export function accountsToCollect(
  { db }: Pick<RunNeeds, 'db'>,
  at: Temporal.Instant,
): Promise<readonly AccountId[]> {
  return listAccountsToCollect(db, dateIn('UTC', at).add({ days: 1 }))
}

// The moment of the first run in this span that would find something.
export async function nextCollection(needs: Needs, span: DueSpan): Promise<Temporal.Instant | null> {
  const records = (await listMerchants(needs, span.accountId)).filter(collects)
  return firstMoment(records, span, (after) => listNextCollections(needs.db, span.accountId, after))
}

// Charges what each record is to collect by itself. A day that was missed is caught up now, once: whatever
// day an instalment was due, it is one and the same instalment.
export async function collectDuePayments(
  needs: RunNeeds,
  moment: DueMoment,
  portionsInStretch = 8,
): Promise<void> {
  for (const record of (await listMerchants(needs, moment.accountId)).filter(collects)) {
    await collectFor(needs, { ...moment, record, portionsMax: portionsInStretch })
  }
}

type Collection = DueMoment & { readonly record: Merchant; readonly portionsMax: number }

// Stretch after stretch, each told before the next one begins: a record may have any number of them due.
async function collectFor(needs: RunNeeds, { record, at, signal, tell, portionsMax }: Collection) {
  const due = {
    accountId: record.accountId,
    merchant: record.merchantNumber,
    on: dateIn(record.timeZone, at),
    collectedOn: lastCollectionDay(record, at),
  }
  const charger = { origin: 'AUTO', userId: '', takesNamed: false } as const
  let behind: Instalment | null = null
  while (!signal.aborted) {
    const seen: Instalment[] = []
    const onPortion = (portion: readonly Instalment[]) => seen.push(...portion)
    const { ending } = await runDue(needs, { due, charger, signal, onPortion, behind, portionsMax }).done
    await tell(await entriesFor(needs, record, seen))
    const isMore = seen.length === portionsMax * portionSize
    if (ending === 'cut_short' || !isMore) return
    behind = seen.at(-1) ?? behind
  }
}

function collects({ collectsAutomatically }: Merchant): boolean {
  return collectsAutomatically
}

// The earliest moment after `after` and not after `until` among the records' next days.
export async function firstMoment(
  records: readonly Merchant[],
  { after, until }: DueSpan,
  nextDays: (after: readonly RecordDay[]) => Promise<readonly RecordDay[]>,
): Promise<Temporal.Instant | null> {
  const done = records.map((record) => ({
    merchant: record.merchantNumber,
    day: lastCollectionDay(record, after),
  }))
  const next = done.length > 0 ? await nextDays(done) : []
  const moments = next.flatMap(({ merchant, day }) => {
    const record = merchantNumbered(records, merchant)
    return record ? [collectionMoment(record, day)] : []
  })
  return earliestOf(moments.filter((moment) => Temporal.Instant.compare(moment, until) <= 0))
}

// The names of the events, where there is one.
const words: Readonly<Record<InstalmentState, string>> = {
  paid: 'schedule.paid',
  scheduled: 'schedule.retry_planned',
  failed: 'schedule.failed',
  cancelled: 'schedule.failed',
  charging: 'schedule.unknown',
}

async function entriesFor(
  needs: RunNeeds,
  record: Merchant,
  seen: readonly Instalment[],
): Promise<readonly DiaryEntry[]> {
  const before = new Map(seen.map((one) => [one.instalmentId, one]))
  const after = await findInstalments(needs, record.accountId, [...before.keys()])
  return after.map((instalment) =>
    entryFor(record, { before: before.get(instalment.instalmentId) ?? instalment, after: instalment }),
  )
}

type Course = { readonly before: Instalment; readonly after: Instalment }

// Told by the day on which it was to be collected, which a retry has moved meanwhile.
function entryFor(record: Merchant, { before, after }: Course): DiaryEntry {
  const { instalmentId, state, because, attemptOn } = after
  const isAsBefore = state === 'scheduled' && attemptOn.equals(before.attemptOn)
  return {
    at: collectionMoment(record, before.collectOn),
    what: isAsBefore ? 'schedule.not_sent' : words[state],
    subject: instalmentId,
    text: `${instalmentName(after)}: ${because}`,
  }
}
