import { earliestOf, netOf } from '#capabilities/settlement/batch.ts'
import { waitsSince } from '#capabilities/settlement/find-unsettled.operation.ts'
import { settleNow, type SettlementNeeds } from '#capabilities/settlement/settle.operation.ts'
import {
  listAccountsDue,
  listStoredPlans,
  setNextClose,
  type StoredPlan,
} from '#capabilities/settlement/settlement-plan.store.ts'
import { nextCutOff, usualPlan } from '#capabilities/settlement/settlement-plan.ts'
import type { DiaryEntry, DueMoment, DueSpan } from '#engine/account-clock/due-work.ts'
import { listMerchants } from '#engine/merchants/list-merchants.operation.ts'
import type { Merchant } from '#engine/merchants/merchant.ts'
import type { AccountId } from '#kernel/ids.ts'
import { printMoney } from '#kernel/money.ts'

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
export async function closeDueRecords(
  needs: SettlementNeeds,
  { accountId, at, signal }: DueMoment,
): Promise<readonly DiaryEntry[]> {
  const diary: DiaryEntry[] = []
  for (const closing of await listClosings(needs, accountId)) {
    if (signal.aborted) return diary
    if (!closing.isAutomatic) continue
    const { merchant } = closing
    // A record that nobody has looked at yet may have its cut-off at this very moment.
    const nextCloseAt = closing.nextCloseAt ?? cutOffAfter(closing, at.subtract({ minutes: 1 }))
    const isDue = Temporal.Instant.compare(nextCloseAt, at) <= 0
    if (isDue) {
      const entry = await closeRecord(needs, closing, at)
      // Somebody else is at it, or its outcome is not known: the next round looks again.
      if (entry === 'later') continue
      diary.push(...entry)
    }
    if (isDue || closing.nextCloseAt === null)
      await setNextClose(needs.db, merchant, cutOffAfter(closing, at))
  }
  return diary
}

function cutOffAfter({ closesAt, merchant }: Closing, after: Temporal.Instant): Temporal.Instant {
  return nextCutOff({ closesAt, timeZone: merchant.timeZone }, after)
}

async function closeRecord(
  needs: SettlementNeeds,
  closing: Closing,
  at: Temporal.Instant,
): Promise<readonly DiaryEntry[] | 'later'> {
  const { merchant } = closing
  const since = await waitsSince(needs, closing)
  if (!since || Temporal.Instant.compare(cutOffAfter(closing, since), at) > 0) return []
  const settled = await settleNow(needs, { merchant, ids: null, callerKey: null, by: 'automatic close' })
  const record = `merchant record ${merchant.merchantNumber}`
  if (!settled.ok) {
    const { kind, details } = settled.refusal
    if (kind === 'batch_running' || kind === 'batch_unknown') return 'later'
    needs.log.error({ kind, details, merchant: merchant.merchantNumber }, 'A day could not be closed')
    return [{ at, what: 'batch.not_closed', subject: null, text: `The day of ${record} could not be closed` }]
  }
  if (!settled.value) return []
  const { batch, isAccepted } = settled.value
  const sum = `${batch.itemCount} transactions, ${printMoney(netOf(batch))} ${batch.currency}`
  const text = `Batch ${batch.batchNumber} of ${record} ${isAccepted ? 'accepted' : 'rejected'}: ${sum}`
  return [{ at, what: isAccepted ? 'batch.closed' : 'batch.failed', subject: batch.batchId, text }]
}
