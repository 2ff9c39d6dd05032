import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findOrder } from '#engine/orders/find-order.operation.ts'
import { findAttemptByReference } from '#engine/payments/find-attempt.operation.ts'
import { declaredStatements } from '#platform/postgres/statement.ts'
import * as bank from '../../../test/support/bank-world.ts'
import { makeConsent } from '../../../test/support/consent-world.ts'
import { buy, openShop, proc, undoOrder } from '../../../test/support/order-world.ts'
import { makePlan, processDue, processSelected } from '../../../test/support/plan-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, credit, openTill, sell, type Till, undo } from '../../../test/support/till.ts'

const world = useWorld()

async function callBy(till: Till, what: object): Promise<string> {
  const { members } = await call(till, 'Operation/Lookup', what)
  const [found] = Object(members['Operations'])
  return Object(found).Operation
}

const callOf = (till: Till, TxID: unknown) => callBy(till, { TxID: Number(TxID) })

// The transaction behind the charge of an order, or behind what undid it.
async function saleOf({ needs, account: { accountId: account } }: Till, transactionId: unknown) {
  const order = await findOrder(needs, { account, transactionId: String(transactionId) })
  assert(order?.saleRef)
  const sale = await findAttemptByReference(needs, { account, ref: order.saleRef })
  assert(sale)
  return Number(sale.attemptId)
}

test('what was done to a sale is looked up with the call that did it', async () => {
  const till = await openTill(world())
  const sale = await sell(till, 10)
  assert.equal(await callOf(till, sale), 'CardSale/Manual')
  assert.equal(await callOf(till, (await credit(till, sale, 4)).members['TxID']), 'CardSale/ApplyCredit')
  const other = await sell(till, 10)
  assert.equal(await callOf(till, (await undo(till, other)).members['VoidTxID']), 'CardSale/Void')
})

test('what was done to an order is looked up with the call that did it', async () => {
  const shop = await openShop(world())
  const { consentToken, transactionId, charge } = await buy(shop, { saves: true })
  assert.equal(await callOf(shop, charge?.attemptId), 'CardSale/InitForm')
  const charged = await proc(shop, consentToken, 5)
  const recurring = await saleOf(shop, charged.members['TransID'])
  assert.equal(await callOf(shop, recurring), 'Intl/ProcPayment')

  // The newest transaction is the one that undoes it.
  await undoOrder(shop, transactionId, 10)
  assert.equal(await callBy(shop, { RefID: 'order-1001' }), 'Intl/VoidCredit')
  await undoOrder(shop, String(charged.members['TransID']), 5)
  assert.equal(await callBy(shop, { RefID: 'order-1001' }), 'Intl/VoidCredit')

  const consent = await makeConsent(shop.needs, shop.caller, { creator: { MerchID: 2 } })
  const body = { ConsentID: Number(consent), Amounts: { BaseAmt: 7 } }
  const { members } = await call(shop, 'ConsentAnnual/ChargeStoredCard', body)
  assert.equal(await callOf(shop, members['TxID']), 'ConsentAnnual/ChargeStoredCard')
  const again = await proc(shop, consentToken, 6)
  const voided = await undo(shop, await saleOf(shop, again.members['TransID']))
  assert.equal(await callOf(shop, voided.members['VoidTxID']), 'CardSale/Void')
})

test('what was done to a bank account is looked up with the call that did it', async () => {
  const till = await openTill(world())
  const [voided, credited] = [await bank.debit(till), await bank.debit(till)]
  const { TxID: voidId } = (await bank.undo(till, voided)).members
  const { TxID: creditId } = (await bank.credit(till, credited, 5)).members
  const calls = await Promise.all([voided, voidId, creditId].map((id) => callOf(till, id)))
  assert.deepEqual(calls, ['ACH/Sale', 'ACH/Void', 'ACH/ApplyCredit'])
})

test('a scheduled payment is looked up with the call that charged it', async () => {
  const till = await openTill(world())
  const { needs, caller } = till
  await makePlan(needs, caller, { NumPayments: 2 })
  const { ApprovedPayments } = (await processDue(needs, caller)).members
  const path = 'RecurringSchedule/ProcessScheduledPayments'
  assert.equal(await callOf(till, ApprovedPayments[0]?.TxID), path)
  const { schedule } = await makePlan(needs, caller, { NumPayments: 1 })
  const named = await processSelected(needs, caller, [Number(schedule[0]?.SchedID)])
  assert.equal(await callOf(till, named.members?.ApprovedPayments[0]?.TxID), `${path}Selective`)
})

test('an operation is looked up by its transaction without a look at the keys of others', () => {
  for (const name of ['find_operation_by_id', 'find_operations_by_reference']) {
    const statement = declaredStatements().find((one) => one.name === name)
    assert(statement)
    assert.doesNotMatch(statement.text, /idempotency/)
  }
})
