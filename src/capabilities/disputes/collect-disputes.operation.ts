import {
  type Dispute,
  type DisputedSale,
  type DisputeStep,
  eventOf,
  isGivenBackTwice,
  nextStep,
  postingOf,
} from '#capabilities/disputes/dispute.ts'
import { closeDispute, listDisputesOf, lockAndOpenDispute } from '#capabilities/disputes/dispute.store.ts'
import {
  type DisputeNeeds,
  listPending,
  listPendingAnew,
  tellOnce,
} from '#capabilities/disputes/read-disputes.operation.ts'
import type { DiaryEntry, DueMoment, DueSpan } from '#engine/account-clock/due-work.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import { postEntries } from '#engine/ledger/post.operation.ts'
import { recordChargeback } from '#engine/orders/record-chargeback.operation.ts'
import { earliestOf } from '#kernel/calendar.ts'
import type { AccountId } from '#kernel/ids.ts'
import { printWithCurrency } from '#kernel/money.ts'

export async function accountsWithDueDispute(
  needs: DisputeNeeds,
  at: Temporal.Instant,
): Promise<readonly AccountId[]> {
  const pending = await listPending(needs, at)
  const due = pending.filter(({ step }) => Temporal.Instant.compare(step.at, at) <= 0)
  return [...new Set(due.map(({ sale }) => sale.accountId))]
}

export async function nextDisputeWithin(
  needs: DisputeNeeds,
  { accountId, after, until }: DueSpan,
): Promise<Temporal.Instant | null> {
  const moments = (await listPendingAnew(needs, until))
    .filter(({ sale }) => sale.accountId === accountId)
    .map(({ step }) => step.at)
    .filter((at) => Temporal.Instant.compare(at, after) > 0 && Temporal.Instant.compare(at, until) <= 0)
  return earliestOf(moments)
}

// Records what has happened to the account's sales at payers' banks: row, posting and event in one commit.
export async function collectDisputes(
  needs: DisputeNeeds,
  { accountId, at, signal, tell }: DueMoment,
): Promise<void> {
  for (const { sale, line, step } of await listPending(needs, at)) {
    if (sale.accountId !== accountId) continue
    let due: DisputeStep | null = step
    // A dispute that was missed for long is opened and closed in one go.
    while (due && Temporal.Instant.compare(due.at, at) <= 0 && !signal.aborted) {
      if (isGivenBackTwice(sale)) tellOnce(needs, sale, due)
      else if (await record(needs, sale, due)) await tell([entryOf(due)])
      due = nextStep({ ...sale, state: due.dispute.state }, line)
    }
  }
}

async function record({ db }: DisputeNeeds, sale: DisputedSale, { dispute, at }: DisputeStep) {
  return db.inTransaction(async (tx) => {
    const move = dispute.state === 'open' ? lockAndOpenDispute(tx, sale, dispute) : closeDispute(tx, dispute)
    if (!(await move)) return false
    await Promise.all([
      postEntries(tx, [postingOf(dispute)], at),
      appendEvents(tx, [eventOf(dispute)], at),
      recordChargeback(tx, { ...chargebackOf(dispute), at }, dispute.state),
    ])
    return true
  })
}

function chargebackOf({ accountId: account, paymentId: sale, amount, reasonCode, openedAt }: Dispute) {
  return { account, sale, amount, reasonCode, openedAt }
}

function entryOf({ dispute, at }: DisputeStep): DiaryEntry {
  const { amount, state, paymentId: subject, reasonCode } = dispute
  const what = state === 'open' ? 'dispute.opened' : 'dispute.closed'
  const sum = printWithCurrency(amount)
  const word = state === 'open' ? `opened for reason ${reasonCode}` : state
  return { at, what, subject, text: `The dispute of ${sum} on transaction ${subject} is ${word}` }
}

// Newest first.
export function listDisputes(
  { db }: Pick<DisputeNeeds, 'db'>,
  account: AccountId,
  most: number,
): Promise<readonly Dispute[]> {
  return listDisputesOf(db, account, most)
}
