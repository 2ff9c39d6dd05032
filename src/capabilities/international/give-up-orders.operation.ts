import type { DiaryEntry, DueMoment, DueSpan } from '#engine/account-clock/due-work.ts'
import { runPortions } from '#engine/account-clock/run-portions.operation.ts'
import type { Order } from '#engine/orders/order.ts'
import {
  accountsWithUnansweredOrders,
  declineOrder,
  listUnansweredOrders,
  nextUnansweredOrder,
} from '#engine/orders/wait-for-payer.operation.ts'
import type { PaymentNeeds } from '#engine/payments/payment-needs.ts'
import type { AccountId } from '#kernel/ids.ts'
import { printWithCurrency } from '#kernel/money.ts'

type Needs = Pick<PaymentNeeds, 'db'>

export function accountsWithLatePayers(needs: Needs, at: Temporal.Instant): Promise<readonly AccountId[]> {
  return accountsWithUnansweredOrders(needs, at)
}

export function nextLatePayer(
  needs: Needs,
  { accountId: account, after, until }: DueSpan,
): Promise<Temporal.Instant | null> {
  return nextUnansweredOrder(needs, { account, after, until })
}

// Declines the orders whose payer went to the bank and did not come back in time.
export async function giveUpOrders(needs: Needs, due: DueMoment, ordersAtOnce = 1_000): Promise<void> {
  const { accountId: account, at: until, signal, tell } = due
  await runPortions(due, ordersAtOnce, async () => {
    const late = await listUnansweredOrders(needs, { account, until, most: ordersAtOnce })
    for (const order of late) {
      if (signal.aborted) break
      const at = order.answerUntil ?? until
      if (await giveUpOrder(needs, order, at)) await tell([entryOf(order, at)])
    }
    return late.length
  })
}

const lateReason = 'DECLINED: the payer did not come back from the bank in time'

// A payer who comes back after that, confirmed or not, is charged nothing. false: it was charged or given up
// meanwhile.
export function giveUpOrder(needs: Needs, order: Order, at: Temporal.Instant): Promise<boolean> {
  return declineOrder(needs, order, { because: 'timed_out', result: 'DECLINED', reason: lateReason, at })
}

// Whether the time is over in which its payer could be charged.
export function isLate({ answerUntil }: Order, at: Temporal.Instant): boolean {
  return answerUntil !== null && Temporal.Instant.compare(at, answerUntil) >= 0
}

function entryOf({ orderId: subject, transactionId, amount }: Order, at: Temporal.Instant): DiaryEntry {
  const sum = printWithCurrency(amount)
  const text = `Order ${transactionId} of ${sum} was given up: its payer did not come back from the bank`
  return { at, what: 'order.given_up', subject, text }
}
