import {
  type Dispute,
  type DisputedSale,
  type DisputeStep,
  eventOf,
  nextStep,
  postingOf,
} from '#capabilities/disputes/dispute.ts'
import { findDisputedSales, listDisputesOf, recordDispute } from '#capabilities/disputes/dispute.store.ts'
import type { DiaryEntry, DueMoment, DueSpan } from '#engine/account-clock/due-work.ts'
import type { DisputeLine } from '#engine/acquirers/acquirer.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import { postEntries } from '#engine/ledger/post.operation.ts'
import { recordChargeback } from '#engine/orders/record-chargeback.operation.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import type { AccountId } from '#kernel/ids.ts'
import { printMoney } from '#kernel/money.ts'

type Needs = Pick<PaymentNeeds, 'db' | 'acquirer' | 'clock'>
type Pending = { readonly sale: DisputedSale; readonly line: DisputeLine; readonly step: DisputeStep }

// Networks let a payer dispute for 120 days and a merchant answer for some weeks.
const lookBack = { hours: 24 * 200 }

// Every dispute that the acquirer tells of with something still to be recorded.
async function listPending(needs: Needs, until: Temporal.Instant): Promise<readonly Pending[]> {
  const from = needs.clock.now().subtract(lookBack)
  // The acquirer's clock differs from ours by the time that a sale takes and more; what is due is judged by
  // ours afterwards.
  const to = until.add({ hours: 1 })
  const lines = await Array.fromAsync(needs.acquirer.disputes(from, to))
  if (lines.length === 0) return []
  const sales = await findDisputedSales(
    needs.db,
    lines.map(({ ref }) => ref),
  )
  return lines.flatMap((line) => {
    const sale = sales.get(line.ref)
    const step = sale && nextStep(sale, line)
    return sale && step ? [{ sale, line, step }] : []
  })
}

export async function accountsWithDueDispute(
  needs: Needs,
  at: Temporal.Instant,
): Promise<readonly AccountId[]> {
  const pending = await listPending(needs, at)
  const due = pending.filter(({ step }) => Temporal.Instant.compare(step.at, at) <= 0)
  return [...new Set(due.map(({ sale }) => sale.accountId))]
}

export async function nextDisputeWithin(
  needs: Needs,
  { accountId, after, until }: DueSpan,
): Promise<Temporal.Instant | null> {
  const moments = (await listPending(needs, until))
    .filter(({ sale }) => sale.accountId === accountId)
    .map(({ step }) => step.at)
    .filter((at) => Temporal.Instant.compare(at, after) > 0 && Temporal.Instant.compare(at, until) <= 0)
  return moments.toSorted((left, right) => Temporal.Instant.compare(left, right))[0] ?? null
}

// Records what has happened to the account's sales at payers' banks: row, posting and event in one commit.
export async function collectDisputes(
  needs: Needs,
  { accountId, at, signal }: DueMoment,
): Promise<readonly DiaryEntry[]> {
  const diary: DiaryEntry[] = []
  for (const { sale, line, step } of await listPending(needs, at)) {
    if (sale.accountId !== accountId) continue
    let due: DisputeStep | null = step
    // A dispute that was missed for long is opened and closed in one go.
    while (due && Temporal.Instant.compare(due.at, at) <= 0 && !signal.aborted) {
      if (await record(needs, due)) diary.push(entryOf(due))
      due = nextStep({ ...sale, state: due.dispute.state }, line)
    }
  }
  return diary
}

async function record({ db }: Needs, { dispute, at }: DisputeStep): Promise<boolean> {
  return db.inTransaction(async (tx) => {
    if (!(await recordDispute(tx, dispute))) return false
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
  const sum = `${printMoney(amount)} ${amount.currency}`
  const word = state === 'open' ? `opened for reason ${reasonCode}` : state
  return { at, what, subject, text: `The dispute of ${sum} on transaction ${subject} is ${word}` }
}

// Newest first.
export function listDisputes(
  { db }: Pick<Needs, 'db'>,
  account: AccountId,
  most: number,
): Promise<readonly Dispute[]> {
  return listDisputesOf(db, account, most)
}
