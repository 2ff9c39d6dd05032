import { dateIn } from '#capabilities/consents/consent-terms.ts'
import { collectionMoment, lastCollectionDay } from '#capabilities/recurring/collection-day.ts'
import {
  listAccountsToCollect,
  listNextCollections,
  type RecordDay,
} from '#capabilities/recurring/collection.store.ts'
import type { Instalment, InstalmentId, InstalmentState } from '#capabilities/recurring/instalment.ts'
import { findInstalments } from '#capabilities/recurring/instalment.store.ts'
import { runDue } from '#capabilities/recurring/process-due-payments.operation.ts'
import type { RunNeeds } from '#capabilities/recurring/run-instalments.operation.ts'
import type { DiaryEntry, DueMoment, DueSpan } from '#engine/account-clock/due-work.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
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
  { accountId, at, signal }: DueMoment,
): Promise<readonly DiaryEntry[]> {
  const records = (await listMerchants(needs, accountId)).filter(collects)
  const diary: DiaryEntry[] = []
  for (const record of records) {
    if (signal.aborted) break
    const { merchantNumber: merchant } = record
    const due = {
      accountId,
      merchant,
      on: dateIn(record.timeZone, at),
      collectedOn: lastCollectionDay(record, at),
    }
    const charger = { origin: 'AUTO', userId: '', takesNamed: false } as const
    const seen = new Map<InstalmentId, Temporal.PlainDate>()
    await runDue(needs, {
      due,
      charger,
      signal,
      onPortion: (portion) => portion.forEach((one) => seen.set(one.instalmentId, one.collectOn)),
    }).done
    diary.push(...(await entriesFor(needs, record, seen)))
  }
  return diary
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
    const record = records.find(({ merchantNumber }) => merchantNumber === merchant)
    return record ? [collectionMoment(record, day)] : []
  })
  const [first] = moments
    .filter((moment) => Temporal.Instant.compare(moment, until) <= 0)
    .toSorted((left, right) => Temporal.Instant.compare(left, right))
  return first ?? null
}

const words: Readonly<Record<InstalmentState, string>> = {
  paid: 'instalment.paid',
  scheduled: 'instalment.declined',
  failed: 'instalment.failed',
  cancelled: 'instalment.failed',
  charging: 'instalment.unknown',
}

async function entriesFor(
  { db }: RunNeeds,
  record: Merchant,
  seen: ReadonlyMap<InstalmentId, Temporal.PlainDate>,
): Promise<readonly DiaryEntry[]> {
  const instalments = await findInstalments(db, record.accountId, [...seen.keys()])
  return instalments.map((instalment) => entryFor(record, instalment, seen.get(instalment.instalmentId)))
}

// Told by the day on which it was to be collected, which a retry has moved meanwhile.
function entryFor(
  record: Merchant,
  { instalmentId, planId, paymentNumber, state, because, collectOn }: Instalment,
  day: Temporal.PlainDate = collectOn,
): DiaryEntry {
  return {
    at: collectionMoment(record, day),
    what: words[state],
    subject: instalmentId,
    text: `Payment ${paymentNumber} of plan ${planId}: ${because}`,
  }
}
