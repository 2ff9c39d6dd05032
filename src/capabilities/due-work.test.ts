import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bankReturnsWork } from '#capabilities/bank-debits/receive-returns.task.ts'
import { collectDisputesWork } from '#capabilities/disputes/collect-disputes.task.ts'
import { closeBankDays } from '#capabilities/international/close-bank-days.operation.ts'
import { closeBankDaysWork } from '#capabilities/international/close-bank-days.task.ts'
import { giveUpOrders } from '#capabilities/international/give-up-orders.operation.ts'
import { giveUpOrdersWork } from '#capabilities/international/give-up-orders.task.ts'
import { closeDayWork } from '#capabilities/settlement/close-day.task.ts'
import { retryWebhooksWork } from '#capabilities/webhooks/deliver.task.ts'
import type { DiaryEntry, DueWork } from '#engine/account-clock/due-work.ts'
import { debit, openCounter, settle } from '../../test/support/bank-world.ts'
import { keepingDiary, runDueNow, runDueUntil } from '../../test/support/due-work.ts'
import { buy, challenge, openShop } from '../../test/support/order-world.ts'
import { makeMerchant, useWorld, type World } from '../../test/support/session-world.ts'
import { openTill, sell, type Till, useTerminal } from '../../test/support/till.ts'
import { openReceiver } from '../../test/support/webhook-receiver.ts'
import { dispatch, happen, openShop as openHearer } from '../../test/support/webhook-world.ts'

const world = useWorld()

// Whatever fails in the middle, the time machine's diary has what was done before it: the next round does not
// do it again, so nobody else would tell of it.

function wordsOf(diary: readonly DiaryEntry[]): readonly string[] {
  return diary.map(({ what }) => what)
}

// What is told until this statement fails, and what the next round tells.
async function cutShort(
  { needs, caller }: Pick<Till, 'needs' | 'caller'>,
  work: DueWork<World>,
  failure: { readonly statement: string; readonly time: number },
) {
  const { accountId } = caller
  const before = wordsOf(await runDueUntil(needs, work, { accountId, ...failure }))
  return { before, after: wordsOf(await runDueNow(needs, work, accountId)) }
}

test('a dispute is told of though the next one fails', async () => {
  const till = await openTill(world())
  await sell(till, 9900.4)
  await sell(till, 9900.42)
  till.needs.clock.advance({ hours: 72 })
  assert.deepEqual(await cutShort(till, collectDisputesWork, { statement: 'open_dispute', time: 2 }), {
    before: ['dispute.opened'],
    after: ['dispute.opened'],
  })
})

test("a bank's day is told of though the next one fails", async () => {
  const shop = await openShop(world())
  for (let day = 0; day < 2; day++) {
    await buy(shop)
    shop.needs.clock.advance({ hours: 24 })
  }
  const failure = { statement: 'take_orders_to_bank', time: 2 }
  assert.deepEqual(await cutShort(shop, closeBankDaysWork, failure), {
    before: ['bank.cut_off'],
    after: ['bank.cut_off'],
  })
})

test("a bank's day with more orders than a portion is closed as a whole, and each portion told", async () => {
  const shop = await openShop(world())
  for (let orders = 0; orders < 3; orders++) await buy(shop)
  shop.needs.clock.advance({ hours: 24 })
  const { accountId } = shop.account
  const { moment, diary } = keepingDiary({ accountId, at: shop.needs.accountClock.now(accountId) })
  await closeBankDays(shop.needs, moment, 2)
  assert.deepEqual(
    diary.map(({ text }) => text),
    [
      'The bank took 2 orders and refunds of merchant record 2',
      'The bank took 1 orders and refunds of merchant record 2',
    ],
  )
})

test('an order that was given up is told of though the next one fails', async () => {
  const shop = await openShop(world())
  for (let orders = 0; orders < 2; orders++) await challenge(shop)
  shop.needs.clock.advance({ minutes: 10 })
  const failure = { statement: 'decline_waiting_order', time: 2 }
  assert.deepEqual(await cutShort(shop, giveUpOrdersWork, failure), {
    before: ['order.given_up'],
    after: ['order.given_up'],
  })
})

test('more orders than a portion are given up in one go', async () => {
  const shop = await openShop(world())
  for (let orders = 0; orders < 5; orders++) await challenge(shop)
  shop.needs.clock.advance({ minutes: 10 })
  const { accountId } = shop.account
  const { moment, diary } = keepingDiary({ accountId, at: shop.needs.accountClock.now(accountId) })
  await giveUpOrders(shop.needs, moment, 2)
  assert.equal(diary.length, 5)
  assert.equal(new Set(diary.map(({ subject }) => subject)).size, 5)
})

test('a day that was closed is told of though its next cut-off cannot be kept', async () => {
  const till = await openTill(world())
  await sell(till, 25)
  till.needs.clock.advance({ hours: 18, minutes: 30 })
  assert.deepEqual(await cutShort(till, closeDayWork, { statement: 'set_next_close', time: 1 }), {
    before: ['batch.closed'],
    after: [],
  })
})

test('the day of one merchant record is told of though that of the next one fails', async () => {
  const till = await openTill(world())
  await makeMerchant(till.needs, till.account)
  await sell(till, 25)
  await sell(till, 30, { record: 2 })
  till.needs.clock.advance({ hours: 18, minutes: 30 })
  assert.deepEqual(await cutShort(till, closeDayWork, { statement: 'insert_batch', time: 2 }), {
    before: ['batch.closed'],
    after: ['batch.closed'],
  })
})

test('a batch that is accepted at last is told of though what was sold since then fails', async () => {
  const till = await openTill(world())
  await useTerminal(till, 'REJECT-1')
  await sell(till, 25)
  till.needs.clock.advance({ hours: 18, minutes: 30 })
  assert.deepEqual(wordsOf(await runDueNow(till.needs, closeDayWork, till.account.accountId)), [
    'batch.failed',
  ])
  await useTerminal(till, 'T1')
  await sell(till, 30)
  till.needs.clock.advance({ hours: 24 })
  assert.deepEqual(await cutShort(till, closeDayWork, { statement: 'insert_batch', time: 1 }), {
    before: ['batch.closed'],
    after: ['batch.closed'],
  })
})

test('a return is told of once, though its file cannot be done with', async () => {
  const counter = await openCounter(world())
  await debit(counter, { AccountNumber: '1234567890123454' })
  await settle(counter)
  counter.needs.clock.advance({ hours: 24 * 7 })
  assert.deepEqual(await cutShort(counter, bankReturnsWork, { statement: 'finish_bank_returns', time: 1 }), {
    before: ['ach.returned'],
    after: [],
  })
})

test('a webhook that was tried is told of though the next try cannot be recorded', async (t) => {
  const receiver = await openReceiver(t)
  receiver.answer(500, 500, 200)
  const hearer = await openHearer(world(), receiver.url)
  await happen(hearer, 2)
  await dispatch(hearer.needs)
  hearer.needs.clock.advance({ hours: 1 })
  const { accountId } = hearer
  const failure = { statement: 'report_webhook_try', time: 2 }
  const told = await runDueUntil(hearer.needs, retryWebhooksWork, { accountId, ...failure })
  assert.deepEqual(wordsOf(told), ['webhook.delivered'])
})
