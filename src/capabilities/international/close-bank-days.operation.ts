import { nextCutOff, usualPlan } from '#capabilities/settlement/settlement-plan.ts'
import type { DiaryEntry, DueMoment, DueSpan } from '#engine/account-clock/due-work.ts'
import { closeBankDay, listOpenBankDays, type OpenBankDay } from '#engine/orders/close-bank-day.operation.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import { earliestOf, laterOf } from '#kernel/calendar.ts'
import type { AccountId } from '#kernel/ids.ts'

type Needs = Pick<PaymentNeeds, 'db'>

export async function accountsWithClosedBankDay(
  needs: Needs,
  at: Temporal.Instant,
): Promise<readonly AccountId[]> {
  const days = await listOpenBankDays(needs, null)
  const due = days.filter((day) => Temporal.Instant.compare(cutOffAfter(day, day.oldestAt), at) <= 0)
  return [...new Set(due.map(({ accountId }) => accountId))]
}

export async function nextBankCutOff(
  needs: Needs,
  { accountId, after, until }: DueSpan,
): Promise<Temporal.Instant | null> {
  const days = await listOpenBankDays(needs, accountId)
  const moments = days
    .map((day) => cutOffAfter(day, laterOf(day.oldestAt, after)))
    .filter((moment) => Temporal.Instant.compare(moment, until) <= 0)
  return earliestOf(moments)
}

// At the bank's cut-off the money of a day moves, and its orders can no longer be voided. Days that were
// missed are closed one after the other, each at its own moment.
export async function closeBankDays(
  needs: Needs,
  { accountId, at, signal }: DueMoment,
): Promise<readonly DiaryEntry[]> {
  const diary: DiaryEntry[] = []
  for (const day of await listOpenBankDays(needs, accountId)) {
    let cutOff = cutOffAfter(day, day.oldestAt)
    while (Temporal.Instant.compare(cutOff, at) <= 0 && !signal.aborted) {
      const taken = await closeBankDay(needs, day, { cutOff, signal })
      if (taken > 0) diary.push(entryOf(day, { cutOff, taken }))
      cutOff = cutOffAfter(day, cutOff)
    }
  }
  return diary
}

// The bank's, in the zone of the merchant record; the same time of day as the usual close of a domestic one.
function cutOffAfter({ timeZone }: OpenBankDay, after: Temporal.Instant): Temporal.Instant {
  return nextCutOff({ closesAt: usualPlan.closesAt, timeZone }, after)
}

type Closed = { readonly cutOff: Temporal.Instant; readonly taken: number }

function entryOf({ merchantNumber }: OpenBankDay, { cutOff, taken }: Closed): DiaryEntry {
  const text = `The bank took ${taken} orders and refunds of merchant record ${merchantNumber}`
  return { at: cutOff, what: 'bank.cut_off', subject: null, text }
}
