import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectDisputesWork } from '#capabilities/disputes/collect-disputes.task.ts'
import { closeBankDaysWork } from '#capabilities/international/close-bank-days.task.ts'
import { findOrder } from '#engine/orders/find-order.operation.ts'
import { verifyLedger } from '#engine/ledger/post.operation.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { runDueNow } from '../../../test/support/due-work.ts'
import { impatient, makeCaller } from '../../../test/support/consent-world.ts'
import {
  buy,
  cards,
  challenge,
  openShop,
  findRecords,
  stepsOf,
  undoOrder,
} from '../../../test/support/order-world.ts'
import { text } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { openTill, sell, type Till, withKey } from '../../../test/support/till.ts'
import { somebodyWaits } from '../../../test/support/somebody-waits.ts'

const world = useWorld()

const voidStatement = statement(
  'test_void_order',
  [text],
  {},
  `with voided as (
     update card_order set state = 'void', taken_by = null where transaction_id = $1 returning order_id
   )
   update order_record r set awaits_bank = false from voided v where r.order_id = v.order_id`,
)

// What was added after the three steps of the sale.
async function undoneSteps(shop: Till, transactionId: string): Promise<readonly string[]> {
  return (await stepsOf(shop, transactionId)).slice(3)
}

async function passBankCutOff({ needs, account }: Till): Promise<void> {
  needs.clock.advance({ hours: 24 })
  assert((await runDueNow(needs, closeBankDaysWork, account.accountId)).length > 0)
}

test('the whole amount before the bank cut-off is a void', async () => {
  const shop = await openShop(world())
  const { transactionId } = await buy(shop)
  const told = await undoOrder(shop, transactionId, 25.5)
  assert.deepEqual([told.code, told.text], [0, 'Succesfull VOID/Credit'])
  assert.deepEqual(told.members, { CreditAmt: 25.5, TransID: transactionId, TxApproved: true })
  assert.deepEqual(await undoneSteps(shop, transactionId), ['CREDITVOID SUCCESS/VOID 25.5'])
  const again = await undoOrder(shop, transactionId, 25.5)
  assert.deepEqual([again.code, again.members['TxApproved']], [6504, false])
  assert.match(again.text, /it is voided/)
})

test('the whole amount after the bank cut-off is a refund, with a bank date of its own', async () => {
  const shop = await openShop(world())
  const { transactionId } = await buy(shop)
  await passBankCutOff(shop)
  assert.equal((await undoOrder(shop, transactionId, 25.5)).code, 0)
  assert.deepEqual(await undoneSteps(shop, transactionId), ['CREDITVOID SUCCESS/REFUND 25.5'])
  await passBankCutOff(shop)
  const [, , sale, refund] = await findRecords(shop, `(F='${transactionId}')`)
  assert.equal(sale?.['bank_date'], '2027-01-16T04:30:00.000Z', '23:30 in New York')
  assert.equal(refund?.['bank_date'], '2027-01-17T04:30:00.000Z')
})

test('a part is a refund at any time, and several are, up to the amount', async () => {
  const shop = await openShop(world())
  const { transactionId } = await buy(shop)
  assert.equal((await undoOrder(shop, transactionId, 10)).code, 0)
  await passBankCutOff(shop)
  assert.equal((await undoOrder(shop, transactionId, 10.5)).code, 0)
  const tooMuch = await undoOrder(shop, transactionId, 5.01)
  assert.equal(tooMuch.code, 6702)
  assert.deepEqual(tooMuch.members, { CreditAmt: 0, TransID: transactionId, TxApproved: false })
  assert.match(tooMuch.text, new RegExp(`Only 5.00 of transaction ${transactionId}`))
  assert.equal((await undoOrder(shop, transactionId, 5)).code, 0)
  assert.deepEqual(await undoneSteps(shop, transactionId), [
    'CREDITVOID SUCCESS/REFUND 10',
    'CREDITVOID SUCCESS/REFUND 10.5',
    'CREDITVOID SUCCESS/REFUND 5',
  ])
  assert((await verifyLedger(shop.needs.db)).isSound)
  assert.equal((await findRecords(shop, '(G=2)')).length, 3)
})

test('more than the order, and what is left after a refund, are different things', async () => {
  const shop = await openShop(world())
  const { transactionId } = await buy(shop)
  assert.equal((await undoOrder(shop, transactionId, 25.51)).code, 6702)
  await undoOrder(shop, transactionId, 0.5)
  assert.equal((await undoOrder(shop, transactionId, 25.5)).code, 6702)
  assert.equal((await undoOrder(shop, transactionId, 25)).code, 0)
})

test('an order that is not settled is refused', async () => {
  const shop = await openShop(world())
  const waiting = await challenge(shop)
  const declined = await buy(shop, { card: cards.declining })
  for (const transactionId of [waiting.transactionId, declined.transactionId]) {
    const told = await undoOrder(shop, transactionId, 25.5)
    assert.equal(told.code, 6504)
    assert.deepEqual(told.members, { CreditAmt: 0, TransID: transactionId, TxApproved: false })
  }
})

test('unknown, foreign and domestic transactions are not found', async () => {
  const needs = world()
  const [shop, other] = [await openShop(needs), await openShop(needs)]
  const { transactionId: foreign } = await buy(other)
  const domestic = await sell(shop, 10)
  for (const id of [foreign, '00000000-0000-4000-8000-000000000000', String(domestic), "'; --"]) {
    const told = await undoOrder(shop, id, 1)
    assert.deepEqual([told.code, told.members['TransID']], [6724, ''], id)
  }
  assert.deepEqual(await undoneSteps(other, foreign), [])
})

test('0, less than 0 and too many decimals are refused', async () => {
  const shop = await openShop(world())
  const { transactionId } = await buy(shop)
  for (const amount of [0, -1, 1.005]) assert.equal((await undoOrder(shop, transactionId, amount)).code, 4003)
  const tooExact = await undoOrder(shop, transactionId, 1.005)
  assert.equal(tooExact.members['TransID'], transactionId, 'the order was found')
})

test('an account without an international record is refused', async () => {
  const till = await openTill(world())
  assert.equal((await undoOrder(till, 'x', 1)).code, 6501)
})

test('twice at once with the same key gives back once', async () => {
  const shop = await openShop(world())
  const { transactionId } = await buy(shop)
  const keyed = withKey(shop, 'refund-1', 'Intl/VoidCredit')
  const told = await Promise.all([undoOrder(keyed, transactionId, 5), undoOrder(keyed, transactionId, 5)])
  const codes = told.map(({ code }) => code).toSorted((left, right) => left - right)
  assert.deepEqual(codes, [0, 4091])
  assert.deepEqual(await undoneSteps(shop, transactionId), ['CREDITVOID SUCCESS/REFUND 5'])
})

test('twenty at once without a key never give back more than the order', async () => {
  const shop = await openShop(world())
  const { transactionId } = await buy(shop)
  const told = await Promise.all(Array.from({ length: 20 }, () => undoOrder(shop, transactionId, 10)))
  const given = told.filter(({ code }) => code === 0)
  assert(given.length >= 1 && given.length <= 2)
  assert.equal((await undoneSteps(shop, transactionId)).length, given.length)
  assert((await verifyLedger(shop.needs.db)).isSound)
})

test('a void and the bank cut-off exclude each other', async () => {
  const shop = await openShop(world())
  const orders = await Promise.all(Array.from({ length: 8 }, () => buy(shop)))
  shop.needs.clock.advance({ hours: 24 })
  const closeBankDays = () => runDueNow(shop.needs, closeBankDaysWork, shop.account.accountId)
  await Promise.all([
    ...orders.map(({ transactionId }) => undoOrder(shop, transactionId, 25.5)),
    closeBankDays(),
  ])
  await closeBankDays()
  for (const { transactionId } of orders) {
    const records = await findRecords(shop, `(F='${transactionId}')`)
    const isBanked = records[2]?.['bank_date'] !== null
    const undone = records[3]?.['Status'] ?? 'nothing'
    assert.equal(undone === 'VOID', !isBanked, `${undone} ${isBanked}`)
  }
})

test('the whole amount that the bank takes in the same moment is a refund, under the same key', async () => {
  const needs = world()
  const shop = await openShop(needs)
  const { transactionId } = await buy(shop)
  let isLooking = true
  // The bank closes its day after the order was looked at, and before it is voided.
  const run: World['db']['run'] = async (asked, values) => {
    const rows = await needs.db.run(asked, values)
    if (isLooking && asked.name === 'find_order_by_transaction') {
      isLooking = false
      await passBankCutOff(shop)
    }
    return rows
  }
  const meeting = { ...shop, needs: { ...needs, db: { ...needs.db, run } } }
  const told = await undoOrder(withKey(meeting, 'meets', 'Intl/VoidCredit'), transactionId, 25.5)
  assert.deepEqual([told.code, told.members['TxApproved']], [0, true], told.text)
  assert.deepEqual(await undoneSteps(shop, transactionId), ['CREDITVOID SUCCESS/REFUND 25.5'])
})

test('an order that is voided while the bank waits for it has no bank date', async () => {
  const shop = await openShop(world())
  const { needs, account } = shop
  const { transactionId } = await buy(shop)
  const key = { account: account.accountId, transactionId }
  needs.clock.advance({ hours: 24 })
  const closing = Promise.withResolvers<unknown>()
  await needs.db.inTransaction(async (tx) => {
    // As the commit that a void ends with.
    await tx.run(voidStatement, [transactionId])
    closing.resolve(runDueNow(needs, closeBankDaysWork, account.accountId))
    await somebodyWaits(shop.needs.db)
  })
  await closing.promise
  assert.deepEqual(
    [(await findOrder(needs, key))?.state, (await findOrder(needs, key))?.bankAt],
    ['void', null],
  )
})

test('a refund whose answer is lost is pending, and known later', async () => {
  const shop = await openShop(impatient(world()))
  const { transactionId } = await buy(shop)
  shop.needs.bank.faults.add({ verb: 'refund', times: 1, delivery: { losesRequest: true } })
  const told = await undoOrder(withKey(shop, 'refund', 'Intl/VoidCredit'), transactionId, 5)
  assert.equal(told.code, 9003)
  assert.deepEqual(await undoneSteps(shop, transactionId), ['CREDITVOID ACCEPTED/PENDING 5'])
  const busy = await undoOrder(shop, transactionId, 5)
  assert.match(busy.text, /at this moment/)
  for (let rounds = 0; rounds < 4; rounds += 1) {
    shop.needs.clock.advance({ minutes: 2 })
    await recoverAttempts(shop.needs)
  }
  const steps = await undoneSteps(shop, transactionId)
  assert.deepEqual(steps, ['CREDITVOID ACCEPTED/PENDING 5', 'CREDITVOID ERROR/DECLINED 5'])
  assert.equal((await undoOrder(shop, transactionId, 5)).code, 0)
})

test('a chargeback is a record of its own, and nothing is given back on top of it', async () => {
  const shop = await openShop(world())
  const lost = await buy(shop, { amount: '9900.40' })
  const won = await buy(shop, { amount: '9900.42' })
  const collect = () => runDueNow(shop.needs, collectDisputesWork, shop.account.accountId)
  shop.needs.clock.advance({ hours: 72 })
  await collect()
  assert.deepEqual(await undoneSteps(shop, lost.transactionId), ['SALE SUCCESS/CHARGEBACK 9900.4'])
  const [, , , record] = await findRecords(shop, `(F='${lost.transactionId}')`)
  assert.deepEqual(
    [record?.['chargeback_date'], record?.['reason_code']],
    ['2027-01-18T10:00:00.000Z', '10.4'],
  )
  assert.match((await undoOrder(shop, lost.transactionId, 1)).text, /has charged it back/)
  shop.needs.clock.advance({ hours: 240 })
  await collect()
  assert.deepEqual(await undoneSteps(shop, won.transactionId), [
    'SALE SUCCESS/CHARGEBACK 9900.42',
    'SALE DECLINED/CHARGEBACK 9900.42',
  ])
  assert.equal((await undoOrder(shop, won.transactionId, 1)).code, 0)
  assert.equal((await undoOrder(shop, lost.transactionId, 1)).code, 6504)
  assert.equal((await findRecords(shop, '(B=8)&&(E=1)')).length, 2)
})

test('somebody who works for another record does not see the order', async () => {
  const shop = await openShop(world())
  const { transactionId } = await buy(shop)
  const caller = await makeCaller(shop.needs, shop.account, { merchant: 1 })
  assert.equal((await undoOrder({ ...shop, caller }, transactionId, 1)).code, 6501)
})
