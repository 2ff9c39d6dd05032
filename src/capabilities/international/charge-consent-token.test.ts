import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cancelAnnualConsent } from '#capabilities/consents/cancel-annual-consent.operation.ts'
import { consentId } from '#capabilities/consents/consent.ts'
import { findOrder, findOrderOfToken } from '#engine/orders/find-order.operation.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { Crash } from '#engine/payments/payment-needs.ts'
import { recoverAttempts } from '#engine/payments/recover-attempts.operation.ts'
import { DatabaseUnavailable } from '#platform/postgres/failures.ts'
import { impatient, makeCaller, makeConsent } from '../../../test/support/consent-world.ts'
import { failingWhere } from '../../../test/support/due-work.ts'
import {
  addShop,
  buy,
  cards,
  openShop,
  proc,
  findRecords,
  stepsOf,
} from '../../../test/support/order-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill, sell, type Till, undo, withKey } from '../../../test/support/till.ts'

const world = useWorld()

async function tokenOf(shop: Till): Promise<string> {
  const { consentToken } = await buy(shop, { saves: true })
  assert.match(consentToken, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  return consentToken
}

test('a token charges the card that was kept, in one record that is settled at once', async () => {
  const shop = await openShop(world())
  const token = await tokenOf(shop)
  const told = await proc(shop, token, 5)
  assert.equal(told.code, 0)
  assert.equal(told.text, `Successfully charged Consent ${token} For €5.00`)
  const { AuthorizedAmt, TransID, TxApproved, TxnCode } = told.members
  assert.deepEqual([AuthorizedAmt, TxApproved], [5, true])
  assert.match(String(TxnCode), /^[A-Z0-9]{6}$/)
  assert.deepEqual(await stepsOf(shop, String(TransID)), ['RECURRING_SALE SUCCESS/SETTLED 5'])
  const [record] = await findRecords(shop, '(G=3)')
  const { Recurring_Token, Card, Lname, City, REFID, Schedule_ID, bank_date, Currency } = record ?? {}
  assert.deepEqual(
    [Recurring_Token, Card, Lname, City, REFID, Schedule_ID, bank_date, Currency],
    [token, '3055', 'Example', 'Springfield', 'order-1001', null, null, 'EUR'],
  )
})

test('a card has one token of 64 digits in all orders of an account, and another elsewhere', async () => {
  const needs = world()
  const [shop, other] = [await openShop(needs), await openShop(needs)]
  const token = await tokenOf(shop)
  await proc(shop, token, 5)
  await buy(shop)
  await buy(other)
  const own = new Set((await findRecords(shop, '(B=3)')).map(({ Card_Token }) => Card_Token))
  const [foreign] = await findRecords(other, '(B=3)')
  assert.equal(own.size, 1)
  assert.match(String([...own][0]), /^[0-9a-f]{64}$/)
  assert(!own.has(foreign?.['Card_Token'] ?? null))
})

// Nobody is told the token of an order that was not paid; it is in the database all the same.
async function declinedToken({ needs, account }: Till): Promise<string> {
  const shop = { needs, account, caller: await makeCaller(needs, account) }
  const paid = await buy(shop, { saves: true, card: cards.declining })
  assert.deepEqual([paid.isApproved, paid.consentToken], [false, ''])
  const { transactionId } = paid
  const order = await findOrder(needs, { account: account.accountId, transactionId })
  assert(order && order.consentToken !== '' && order.consentId !== null)
  return order.consentToken
}

test('unknown, foreign, declined and malformed tokens are the same: not found', async () => {
  const needs = world()
  const [shop, other] = [await openShop(needs), await openShop(needs)]
  const foreign = await tokenOf(other)
  const declined = await declinedToken(shop)
  for (const token of [foreign, declined, '00000000-0000-4000-8000-000000000000', "x' or true", '12']) {
    const told = await proc(shop, token, 5)
    assert.equal(told.code, 6503, token)
    assert.deepEqual(told.members, { AuthorizedAmt: 0, TransID: '', TxApproved: false, TxnCode: '' })
  }
})

test('a cancelled consent is refused, and its order leaves no record', async () => {
  const shop = await openShop(world())
  const { needs, caller } = shop
  const token = await tokenOf(shop)
  const origin = await findOrderOfToken(needs, { account: caller.accountId, token })
  assert(origin?.consentId)
  assert((await cancelAnnualConsent(needs, caller, { consentId: consentId(origin.consentId) })).ok)
  const told = await proc(shop, token, 5)
  assert.deepEqual([told.code, told.members['TransID']], [6102, ''])
  assert.deepEqual(await findRecords(shop, '(G=3)'), [])
})

test('the limits of the consent count', async () => {
  const shop = await openShop(world())
  const told = await proc(shop, await tokenOf(shop), 100_000.01)
  assert.equal(told.code, 6104)
})

test('0, less than 0 and too many decimals are refused by name', async () => {
  const shop = await openShop(world())
  const token = await tokenOf(shop)
  const codes = await Promise.all([0, -5, 1.005, 'five'].map((amount) => proc(shop, token, amount)))
  assert.deepEqual(
    codes.map(({ code }) => code),
    [4003, 4003, 4003, 4001],
  )
  assert.match((await proc(shop, token, 1.005)).text, /ChargeAmt has more decimals than EUR has/)
})

for (const [currency, good, bad] of [
  ['JPY', 500, 500.5],
  ['BHD', 1.005, 1.0005],
] as const) {
  test(`${currency} is charged with its own decimals`, async () => {
    const shop = await openShop(world(), currency)
    const { consentToken: token } = await buy(shop, { saves: true, amount: '25' })
    assert.equal((await proc(shop, token, bad)).code, 4003)
    const told = await proc(shop, token, good)
    assert.deepEqual([told.code, told.members['AuthorizedAmt']], [0, good])
  })
}

test('a decline is an outcome, with its reason in the record', async () => {
  const shop = await openShop(world())
  const told = await proc(shop, await tokenOf(shop), 9900.51)
  assert.deepEqual([told.code, told.text], [0, 'DECLINED: insufficient funds'])
  const { TxApproved, TxnCode, AuthorizedAmt, TransID } = told.members
  assert.deepEqual([TxApproved, TxnCode, AuthorizedAmt], [false, '51', 0])
  assert.deepEqual(await stepsOf(shop, String(TransID)), ['RECURRING_SALE DECLINED/DECLINED 9900.51'])
})

test('a part is never taken for the whole: it is given back and declined', async () => {
  const shop = await openShop(world())
  const told = await proc(shop, await tokenOf(shop), 9900.1)
  assert.deepEqual([told.members['TxApproved'], told.members['TxnCode']], [false, '10'])
  await recoverAttempts(shop.needs)
  const steps = await stepsOf(shop, String(told.members['TransID']))
  assert.deepEqual(steps, ['RECURRING_SALE DECLINED/DECLINED 9900.1'])
})

test('without a key, an approval that nobody heard of is reversed', async () => {
  const shop = await openShop(impatient(world()))
  const told = await proc(shop, await tokenOf(shop), 9900.98)
  assert.equal(told.code, 9003)
  shop.needs.clock.advance({ minutes: 3 })
  for (let rounds = 0; rounds < 3; rounds += 1) {
    await recoverAttempts(shop.needs)
    shop.needs.clock.advance({ minutes: 2 })
  }
  assert.deepEqual(await stepsOf(shop, String(told.members['TransID'])), [
    'RECURRING_SALE ACCEPTED/PENDING 9900.98',
    'RECURRING_SALE SUCCESS/REVERSAL 9900.98',
  ])
})

test('the same key twice at once charges once', async () => {
  const shop = await openShop(world())
  const token = await tokenOf(shop)
  const keyed = withKey(shop, 'charge-1', 'Intl/ProcPayment')
  const told = await Promise.all([proc(keyed, token, 5), proc(keyed, token, 5)])
  assert.deepEqual(
    told.map(({ code }) => code).toSorted((left, right) => left - right),
    [0, 4091],
  )
  assert.equal((await findRecords(shop, '(G=3)')).length, 1)
})

test('an account without an international record is refused', async () => {
  const till = await openTill(world())
  const told = await proc(till, '00000000-0000-4000-8000-000000000000', 5)
  assert.equal(told.code, 6501)
})

test('a token issued for the domestic record alone is refused too', async () => {
  const shop = await openShop(world())
  const token = await tokenOf(shop)
  const [record] = await shop.needs.merchantReads.add(shop.account.accountId)
  assert(record)
  const narrow = { ...shop, caller: { ...shop.caller, merchantNumber: record.merchantNumber } }
  assert.equal((await proc(narrow, token, 5)).code, 6501)
})

test('charges of an international record by other calls are orders too', async () => {
  const shop = await openShop(world())
  const { needs, caller } = shop
  await addShop(shop, 'USD')
  const sale = await sell(shop, 10, { record: 2 })
  await undo(shop, sale)
  const consent = await makeConsent(needs, caller, { creator: { MerchID: 2 } })
  const charged = { ConsentID: Number(consent), Amounts: { BaseAmt: 7 } }
  await call(shop, 'ConsentAnnual/ChargeStoredCard', charged)
  await call(shop, 'CardSale/Manual', {
    ccCardInfo: { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2030 },
    Amounts: { BaseAmt: 3 },
    MerchID: 1,
  })
  const told = (await findRecords(shop, '(E=1)')).map(
    ({ Action, Status, Amount }) => `${Action} ${Status} ${Amount}`,
  )
  assert.deepEqual(told, ['RECURRING_SALE SETTLED 7', 'SALE SETTLED 10', 'CREDITVOID VOID 10'])
  const transactions = await call(shop, 'Query/Transaction', { Query: '(A=2)' })
  const statuses = Object(transactions.members['Transactions'])
    .map(Object)
    .map(({ TxSTATUS }: { TxSTATUS: string }) => TxSTATUS)
  assert.deepEqual(statuses, ['SETTLED', 'VOID'])
})

test('a payment plan of an international record leaves orders that name the scheduled payment', async () => {
  const shop = await openShop(world())
  const { needs } = shop
  const made = await call(shop, 'ConsentRecurring/Create', {
    ccCardInfo: { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2030 },
    ConsentCreator: { MerchID: 2, NumPayments: 2, TotalAmount: 20, Period: 'WEEKLY' },
    AcctHolder: { Firstname: 'Ann', Lastname: 'Planner', Email: 'ann@example.com' },
  })
  assert.equal(made.code, 0, made.text)
  const [first] = Object(made.members['MySched'])
  const run = await call(shop, 'RecurringSchedule/ProcessScheduledPayments', { MerchID: 2 })
  assert.equal(run.code, 0, run.text)
  const [record, ...others] = await findRecords(shop, "(D='Planner')")
  assert.deepEqual(others, [])
  const { Action, Status, Amount, Schedule_ID, Email, Recurring_Token } = record ?? {}
  assert.deepEqual(
    [Action, Status, Amount, Schedule_ID, Email, Recurring_Token],
    ['RECURRING_SALE', 'SETTLED', 10, first.SchedID, 'ann@example.com', ''],
  )
  assert.equal((await findRecords(shop, `(W=${made.members['ConsentID']})`)).length, 1)
  assert.equal(needs.lines.filter(({ text }) => /fail/i.test(text)).length, 0)
})

function dieBeforeT2(point: string): void {
  if (point === 'before_t2') throw new Crash('as if the process had died')
}

test('a gateway that dies before the answer is written leaves an order that is settled later', async () => {
  const needs = world()
  const shop = await openShop(needs)
  const token = await tokenOf(shop)
  const mortal = { ...needs, ...paymentEngine({ ...needs, crashpoint: dieBeforeT2 }), clock: needs.clock }
  const dying = withKey({ ...shop, needs: mortal }, 'dies', 'Intl/ProcPayment')
  await assert.rejects(proc(dying, token, 5), Crash)
  assert.deepEqual(
    (await findRecords(shop, '(G=3)')).map(({ ID, Status }) => [ID, Status]),
    [[0, 'PENDING']],
  )
  for (let rounds = 0; rounds < 2; rounds += 1) {
    needs.clock.advance({ minutes: 2 })
    await recoverAttempts(needs)
  }
  const told = (await findRecords(shop, '(G=3)')).map(({ Result, Status }) => `${Result}/${Status}`)
  assert.deepEqual(told, ['ACCEPTED/PENDING', 'SUCCESS/SETTLED'])
  assert.equal((await proc(dying, token, 5)).code, 4091, 'the key is taken; the transport answers it again')
})

test('nobody is told that nothing was charged when the database goes away behind the charge', async () => {
  const shop = await openShop(world())
  const token = await tokenOf(shop)
  const away = new DatabaseUnavailable('The database does not answer')
  const db = failingWhere(shop.needs.db, (name) => name === 'find_order', away)
  const told = await proc({ ...shop, needs: { ...shop.needs, db } }, token, 5)
  assert.equal(told.code, 9003)
  const records = await findRecords(shop, '(G=3)')
  assert.deepEqual(
    records.map(({ Result, Amount }) => [Result, Amount]),
    [['SUCCESS', 5]],
  )
})
