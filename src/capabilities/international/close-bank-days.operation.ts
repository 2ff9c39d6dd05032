import { nextCutOff, usualPlan } from '#capabilities/settlement/settlement-plan.ts'
import type { DiaryEntry, DueMoment, DueSpan } from '#engine/account-clock/due-work.ts'
import { runPortions } from '#engine/account-clock/run-portions.operation.ts'
import { giveToBank, listOpenBankDays, type OpenBankDay } from '#engine/orders/close-bank-day.operation.ts'
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
export async function closeBankDays(needs: Needs, due: DueMoment, ordersAtOnce = 5_000): Promise<void> {
  for (const day of await listOpenBankDays(needs, due.accountId)) {
    let cutOff = cutOffAfter(day, day.oldestAt)
    while (Temporal.Instant.compare(cutOff, due.at) <= 0 && !due.signal.aborted) {
      await closeBankDay(needs, due, { day, cutOff, ordersAtOnce })
      cutOff = cutOffAfter(day, cutOff)
    }
  }
}

type Closing = {
  readonly day: OpenBankDay
  readonly cutOff: Temporal.Instant
  readonly ordersAtOnce: number
}

// In portions, so that nobody waits for a lock of a whole day.
function closeBankDay(needs: Needs, due: DueMoment, { day, cutOff, ordersAtOnce }: Closing): Promise<void> {
  return runPortions(due, ordersAtOnce, async () => {
    const taken = await giveToBank(needs, day, { cutOff, most: ordersAtOnce })
    if (taken > 0) await due.tell([entryOf(day, { cutOff, taken })])
    return taken
  })
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
