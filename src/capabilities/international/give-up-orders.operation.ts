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
import { isUnreachable } from '#platform/postgres/failures.ts'

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

type GiveUpNeeds = Needs & Pick<PaymentNeeds, 'log'>

// Declines the orders whose payer went to the bank and did not come back in time. Each is met once, by age.
export async function giveUpOrders(needs: GiveUpNeeds, due: DueMoment, ordersAtOnce = 1_000): Promise<void> {
  const { accountId: account, at: until, signal, tell } = due
  let after: Order | null = null
  await runPortions(due, ordersAtOnce, async () => {
    const late: readonly Order[] = await listUnansweredOrders(needs, {
      account,
      until,
      after,
      most: ordersAtOnce,
    })
    after = late.at(-1) ?? after
    for (const order of late) {
      if (signal.aborted) break
      await tell(await giveUpApart(needs, order, order.answerUntil ?? until))
    }
    return late.length
  })
}

// One that cannot be given up is tried again in the next round, and keeps no other waiting. Answers what
// there is to tell.
async function giveUpApart(
  needs: GiveUpNeeds,
  order: Order,
  at: Temporal.Instant,
): Promise<readonly DiaryEntry[]> {
  try {
    return (await giveUpOrder(needs, order, at)) ? [entryOf(order, at)] : []
  } catch (error) {
    if (isUnreachable(error)) throw error
    const { orderId: subject, transactionId } = order
    const fields = { err: error, orderId: String(subject) }
    needs.log.error(fields, 'An order could not be given up and will be tried again')
    const text = `Order ${transactionId} could not be given up and will be tried again; the log tells why`
    return [{ at, what: 'work.failed', subject, text }]
  }
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
