import { contentOf, type Settled } from '#capabilities/settlement/batch.ts'
import { findUnsettled, waitsSince } from '#capabilities/settlement/find-unsettled.operation.ts'
import { settleNow, type SettlementNeeds } from '#capabilities/settlement/settle.operation.ts'
import {
  hastenNextClose,
  listAccountsDue,
  listStoredPlans,
  setNextClose,
  type StoredPlan,
} from '#capabilities/settlement/settlement-plan.store.ts'
import { nextCutOff, usualPlan } from '#capabilities/settlement/settlement-plan.ts'
import type { DiaryEntry, DueMoment, DueSpan } from '#engine/account-clock/due-work.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import { earliestOf } from '#kernel/calendar.ts'
import type { AccountId } from '#kernel/ids.ts'

export function accountsWithDueClose(
  { db }: Pick<SettlementNeeds, 'db'>,
  at: Temporal.Instant,
): Promise<readonly AccountId[]> {
  return listAccountsDue(db, at)
}

export type Closing = Pick<StoredPlan, 'isAutomatic' | 'closesAt' | 'nextCloseAt' | 'settledBelow'> & {
  readonly merchant: Merchant
}

// When each domestic record of an account closes, by its own plan or the usual one.
export async function listClosings(needs: SettlementNeeds, account: AccountId): Promise<readonly Closing[]> {
  const [merchants, plans] = await Promise.all([
    listMerchants(needs, account),
    listStoredPlans(needs.db, account),
  ])
  const unplanned = { ...usualPlan, nextCloseAt: null, settledBelow: 0n }
  return merchants
    .filter(({ isInternational }) => !isInternational)
    .map((merchant) => {
      const plan = plans.find(({ merchantNumber }) => merchantNumber === merchant.merchantNumber)
      return { ...unplanned, ...plan, merchant }
    })
}

// A record that has nothing to settle is passed over, so that the time machine does not stop at each of its
// empty days.
export async function nextCloseWithin(
  needs: SettlementNeeds,
  { accountId, after, until }: DueSpan,
): Promise<Temporal.Instant | null> {
  const closings = (await listClosings(needs, accountId)).filter(({ isAutomatic }) => isAutomatic)
  const moments = await Promise.all(
    closings.map(async (closing) => {
      const moment = closeAfter(closing, after)
      const isNear = Temporal.Instant.compare(moment, until) <= 0
      return isNear && (await waitsSince(needs, closing)) ? moment : null
    }),
  )
  return earliestOf(moments)
}

function closeAfter(closing: Closing, after: Temporal.Instant): Temporal.Instant {
  const { nextCloseAt } = closing
  const isAhead = nextCloseAt !== null && Temporal.Instant.compare(nextCloseAt, after) > 0
  return isAhead ? nextCloseAt : cutOffAfter(closing, after)
}

// Closes every record whose cut-off has come. Days that were missed are caught up once, and what is younger
// than the last of them alone waits for its own cut-off; a record that is seen for the first time begins with
// its next one.
export async function closeDueRecords(needs: SettlementNeeds, due: DueMoment): Promise<void> {
  const { accountId, at, signal } = due
  for (const closing of await listClosings(needs, accountId)) {
    if (signal.aborted) return
    if (!closing.isAutomatic) continue
    const { merchant } = closing
    // A record that nobody has looked at yet may have its cut-off at this very moment.
    const nextCloseAt = closing.nextCloseAt ?? cutOffAfter(closing, at.subtract({ minutes: 1 }))
    const isDue = Temporal.Instant.compare(nextCloseAt, at) <= 0
    if (isDue && !(await closeRecord(needs, closing, due))) continue
    if (isDue || closing.nextCloseAt === null)
      await setNextClose(needs.db, merchant, cutOffAfter(closing, at))
  }
}

// The next close of a record that is about to move was reckoned by its former zone. To look too early does no
// harm: what is closed then is judged by the zone that it has by then. So this comes before the move, and
// a crash between the two leaves nothing late.
export async function hastenToZone(needs: SettlementNeeds, merchant: Merchant): Promise<void> {
  const plans = await listStoredPlans(needs.db, merchant.accountId)
  const plan = plans.find(({ merchantNumber }) => merchantNumber === merchant.merchantNumber)
  // Whatever kind of record it is by now: it may become a domestic one in the same move.
  if (!plan) return
  const now = needs.accountClock.now(merchant.accountId)
  await hastenNextClose(needs.db, merchant, cutOffAfter({ ...plan, merchant }, now))
}

function cutOffAfter({ closesAt, merchant }: Closing, after: Temporal.Instant): Temporal.Instant {
  return nextCutOff({ closesAt, timeZone: merchant.timeZone }, after)
}

// A group that was not accepted before goes first, alone; once it is, what was sold since then is closed too.
// false: somebody else is at it, or its outcome is not known, and the next round looks again.
async function closeRecord(needs: SettlementNeeds, closing: Closing, due: DueMoment): Promise<boolean> {
  const { at, tell } = due
  const { unfinished, oldestAt } = await findUnsettled(needs, closing)
  const since = earliestOf([unfinished?.openedAt ?? null, oldestAt])
  if (!since || Temporal.Instant.compare(cutOffAfter(closing, since), at) > 0) return true
  const { merchant } = closing
  const settled = await settleNow(needs, { merchant, ids: null, callerKey: null, by: 'automatic close' })
  if (!settled.ok) return tellNotClosed(needs, due, { merchant, ...settled.refusal })
  if (!settled.value) return true
  await tell([entryOf(settled.value, at)])
  return unfinished && settled.value.isAccepted ? closeRecord(needs, closing, due) : true
}

type NotClosed = { readonly merchant: Merchant; readonly kind: string; readonly details: object }

async function tellNotClosed(
  { log }: SettlementNeeds,
  { at, tell }: DueMoment,
  { merchant, kind, details }: NotClosed,
): Promise<boolean> {
  if (kind === 'batch_running' || kind === 'batch_unknown') return false
  log.error({ kind, details, merchant: merchant.merchantNumber }, 'A day could not be closed')
  const text = `The day of merchant record ${merchant.merchantNumber} could not be closed`
  await tell([{ at, what: 'batch.not_closed', subject: null, text }])
  return true
}

function entryOf({ batch, isAccepted }: Settled, at: Temporal.Instant): DiaryEntry {
  const name = `Batch ${batch.batchNumber} of merchant record ${batch.merchantNumber}`
  const text = `${name} ${isAccepted ? 'accepted' : 'rejected'}: ${contentOf(batch)}`
  return { at, what: isAccepted ? 'batch.closed' : 'batch.failed', subject: batch.batchId, text }
}
