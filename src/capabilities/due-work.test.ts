import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bankReturnsWork } from '#capabilities/bank-debits/receive-returns.task.ts'
import { announceUpcoming } from '#capabilities/collection/announce-upcoming.operation.ts'
import { tellEndingConsents } from '#capabilities/consents/tell-ending-consents.operation.ts'
import { collectDisputesWork } from '#capabilities/disputes/collect-disputes.task.ts'
import { expireDueForms } from '#capabilities/forms/expire-forms.operation.ts'
import { closeBankDays } from '#capabilities/international/close-bank-days.operation.ts'
import { closeBankDaysWork } from '#capabilities/international/close-bank-days.task.ts'
import { giveUpOrders } from '#capabilities/international/give-up-orders.operation.ts'
import { giveUpOrdersWork } from '#capabilities/international/give-up-orders.task.ts'
import { expireLinks } from '#capabilities/links/expire-links.operation.ts'
import { closeDayWork } from '#capabilities/settlement/close-day.task.ts'
import { retryWebhooksWork } from '#capabilities/webhooks/deliver.task.ts'
import type { DiaryEntry, DueMoment, DueWork } from '#engine/account-clock/due-work.ts'
import { debit, openCounter, settle } from '../../test/support/bank-world.ts'
import { makeConsent } from '../../test/support/consent-world.ts'
import { failingWhere, runDueNow, runDueUntil } from '../../test/support/due-work.ts'
import { openForm } from '../../test/support/form-world.ts'
import { makeLink } from '../../test/support/link-world.ts'
import { buy, challenge, openShop } from '../../test/support/order-world.ts'
import { advanceTo, makePlan } from '../../test/support/plan-world.ts'
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
  assert.deepEqual(
    await cutShort(till, collectDisputesWork, { statement: 'lock_sale_and_open_dispute', time: 2 }),
    {
      before: ['dispute.opened'],
      after: ['dispute.opened'],
    },
  )
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

test('orders that cannot be given up keep no other waiting, and are tried again', async () => {
  const shop = await openShop(world())
  await times(5, () => challenge(shop))
  shop.needs.clock.advance({ minutes: 10 })
  const hopeless = new Set<unknown>()
  const db = failingWhere(shop.needs.db, (statement, [, order]) => {
    if (statement !== 'decline_waiting_order') return false
    // The oldest two: as many as a portion.
    if (hopeless.size < 2) hopeless.add(order)
    return hopeless.has(order)
  })
  const cut = { ...shop, needs: { ...shop.needs, db } }
  const told = ['work.failed', 'work.failed', ...Array(3).fill('order.given_up')]
  assert.deepEqual(await portionsOf(cut, giveUpOrders), told)
  assert.deepEqual(await portionsOf(cut, giveUpOrders), told.slice(0, 2))
  const { accountId } = shop.caller
  assert.deepEqual(wordsOf(await runDueNow(shop.needs, giveUpOrdersWork, accountId)), told.slice(3))
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

// What is told at once, where two are done at a time.
async function portionsOf(
  { needs, caller }: Pick<Till, 'needs' | 'caller'>,
  run: (needs: World, due: DueMoment, sizeMax: number) => Promise<void>,
): Promise<readonly string[]> {
  const portions: string[] = []
  const { accountId } = caller
  const at = needs.accountClock.now(accountId)
  const tell: DueMoment['tell'] = async (entries) => {
    if (entries.length > 0) portions.push(wordsOf(entries).join())
  }
  await run(needs, { accountId, at, signal: new AbortController().signal, tell }, 2)
  return portions
}

const times = <T>(count: number, make: () => Promise<T>) => Array.fromAsync({ length: count }, make)
const inPortions = (what: string) => [`${what},${what}`, `${what},${what}`, what]

test('more forms than a portion expire in one go', async () => {
  const till = await openTill(world())
  await times(5, () => openForm(till))
  till.needs.clock.advance({ hours: 1 })
  assert.deepEqual(await portionsOf(till, expireDueForms), inPortions('form.expired'))
})

test('more links than a portion expire in one go', async () => {
  const till = await openTill(world())
  await times(5, () => makeLink(till))
  till.needs.clock.advance({ hours: 24 * 30 })
  assert.deepEqual(await portionsOf(till, expireLinks), inPortions('link.expired'))
})

test('more consents than a portion are told of in one go before they end', async () => {
  const till = await openTill(world())
  await times(5, () => makeConsent(till.needs, till.caller, { creator: { NumDays: 20 } }))
  assert.deepEqual(await portionsOf(till, tellEndingConsents), inPortions('consent.expiring'))
})

test('more payments than a portion are announced in one go', async () => {
  const till = await openTill(world())
  await times(5, () => makePlan(till.needs, till.caller, { StartDate: '2027-01-20', NumPayments: 1 }))
  advanceTo(till.needs, '2027-01-20T12:00:00Z')
  assert.deepEqual(await portionsOf(till, announceUpcoming), inPortions('schedule.upcoming'))
})

test('more orders than a portion are given up in one go, each told by itself', async () => {
  const shop = await openShop(world())
  await times(5, () => challenge(shop))
  shop.needs.clock.advance({ minutes: 10 })
  assert.deepEqual(await portionsOf(shop, giveUpOrders), Array(5).fill('order.given_up'))
})

test("a bank's day with more orders than a portion is closed in one go, each portion told", async () => {
  const shop = await openShop(world())
  await times(5, () => buy(shop))
  shop.needs.clock.advance({ hours: 24 })
  assert.deepEqual(await portionsOf(shop, closeBankDays), Array(3).fill('bank.cut_off'))
})
