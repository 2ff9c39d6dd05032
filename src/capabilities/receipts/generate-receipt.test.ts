import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAnnualConsentContract } from '#capabilities/consents/create-annual-consent.contract.ts'
import { createAnnualConsent } from '#capabilities/consents/create-annual-consent.operation.ts'
import { generateReceiptContract } from '#capabilities/receipts/generate-receipt.contract.ts'
import { generateReceipt } from '#capabilities/receipts/generate-receipt.operation.ts'
import { cancelScheduledPayment } from '#capabilities/recurring/cancel-scheduled-payment.operation.ts'
import { instalmentId } from '#capabilities/recurring/instalment.ts'
import { modifyScheduledPayment } from '#capabilities/recurring/modify-scheduled-payment.operation.ts'
import { chargeCardContract } from '#capabilities/sales/charge-card.contract.ts'
import { chargeCard } from '#capabilities/sales/charge-card.operation.ts'
import { creditSaleContract } from '#capabilities/sales/credit-sale.contract.ts'
import { creditSale } from '#capabilities/sales/credit-sale.operation.ts'
import { voidSaleContract } from '#capabilities/sales/void-sale.contract.ts'
import { voidSale } from '#capabilities/sales/void-sale.operation.ts'
import { authenticate } from '#capabilities/sessions/authenticate.operation.ts'
import { resolveSession } from '#capabilities/sessions/resolve-session.operation.ts'
import { serve } from '#capabilities/wire/contract.ts'
import { requestReader } from '#capabilities/wire/read-request.ts'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { type Counter, credit, debit, toldBy, type Told, undo } from '../../../test/support/bank-world.ts'
import { makePlan, processSelected } from '../../../test/support/plan-world.ts'
import { makeAccount, makeToken, useWorld, type World } from '../../../test/support/session-world.ts'

const world = useWorld()
const operation = serve(generateReceiptContract, generateReceipt)
const sale = serve(chargeCardContract, chargeCard)
const saleVoid = serve(voidSaleContract, voidSale)
const saleCredit = serve(creditSaleContract, creditSale)
const consent = serve(createAnnualConsentContract, createAnnualConsent)

async function openShop(needs: World): Promise<Counter> {
  const account = await makeAccount(needs)
  const visitor = { address: '192.0.2.10' }
  const token = await makeToken(needs, account)
  const signedIn = await authenticate(needs, visitor, { accountCode: account.accountCode, token })
  assert(signedIn.ok)
  const caller = await resolveSession(needs, { ...visitor, sessionKey: signedIn.value.sessionKey })
  assert(caller.ok)
  return { needs, caller: caller.value }
}

async function print({ needs, caller }: Counter, body: object): Promise<Told> {
  const read = requestReader(generateReceiptContract.request)(body)
  assert(read.ok)
  return toldBy(await operation.answer(needs, caller, read.value))
}

async function pageOf(shop: Counter, REFID: number, ReceiptType: number, Recipient = 2): Promise<string> {
  const told = await print(shop, { REFID: String(REFID), ReceiptType, Recipient })
  assert.equal(told.text, 'Successfully Returned Transaction Receipt Markup')
  return String(told.members['ReceiptHtml'])
}

// The rows of a page, as label: value.
function rowsOf(page: string): Readonly<Record<string, string>> {
  const rows = page.matchAll(/<dt>([^<]*)<\/dt>\s*<dd>([^<]*)<\/dd>/g)
  return Object.fromEntries([...rows].map(([, label = '', value = '']) => [label, value]))
}

async function sell({ needs, caller }: Counter, changes: object = {}): Promise<number> {
  const body = { ...chargeCardContract.example.request, ...changes }
  return Number(toldBy(await sale.answer(needs, caller, body)).members['TxID'])
}

async function agree({ needs, caller }: Counter): Promise<number> {
  const { request } = createAnnualConsentContract.example
  const card = { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2030 }
  return Number(
    toldBy(await consent.answer(needs, caller, { ...request, ccCardInfo: card })).members['ConsentID'],
  )
}

test('the receipt of a sale says what was paid, by whom and how', async () => {
  const shop = await openShop(world())
  const TxID = await sell(shop)
  const page = await pageOf(shop, TxID, 1)
  const { Approval, ...rows } = rowsOf(page)
  assert.match(String(Approval), /^\w{6}$/)
  assert.deepEqual(rows, {
    Cardholder: 'Ada Miller',
    Account: 'x1111',
    Expiry: 'xxxx',
    'Transaction ID': String(TxID),
    Reference: 'order-1001',
    Date: 'Jan 15, 2027, 5:00 AM',
    'Card type': 'Visa ending 1111',
    'Entry method': 'Manual',
    For: 'Two books',
    Amount: '$25.50',
    Total: '$25.50 USD',
  })
  assert.match(page, /Corner Books/)
  assert.match(page, /SALE APPROVED/)
})

for (const [recipient, copies] of [
  [1, ['MERCHANT']],
  [2, ['CUSTOMER']],
  [3, ['MERCHANT', 'CUSTOMER']],
] as const) {
  test(`recipient ${recipient} gets the copies of ${copies.join(' and ')}`, async () => {
    const shop = await openShop(world())
    const page = await pageOf(shop, await sell(shop), 1, recipient)
    assert.deepEqual(
      [...page.matchAll(/(\w+) COPY/g)].map(([, name]) => name),
      copies,
    )
  })
}

test('a decline has a receipt, too, which says so', async () => {
  const shop = await openShop(world())
  const ccCardInfo = { AccountNumber: '4000000000000002', ExpMonth: 12, ExpYear: 30 }
  const page = await pageOf(shop, await sell(shop, { ccCardInfo }), 1)
  assert.match(page, /SALE DECLINED/)
  assert.equal(rowsOf(page)['Code'], '05')
})

test('a reprint never changes: not when the merchant moves, not when the sale is voided', async () => {
  const shop = await openShop(world())
  const { needs, caller } = shop
  const TxID = await sell(shop)
  const first = await pageOf(shop, TxID, 1, 3)
  const changes = { name: 'Other Books', timeZone: 'UTC' }
  const change = { account: caller.accountId, merchant: merchantNumber(1), changes }
  assert((await changeMerchant(needs, change)).ok)
  const undone = toldBy(await saleVoid.answer(needs, caller, { TxID }))
  assert.equal(undone.code, 0)
  assert.equal(await pageOf(shop, TxID, 1, 3), first)
  const page = await pageOf(shop, TxID, 2)
  assert.match(page, /VOID APPROVED/)
  assert.equal(rowsOf(page)['Voids'], String(TxID))
  assert.match(page, /Other Books/)
  const byItself = await pageOf(shop, Number(undone.members['VoidTxID']), 2)
  assert.equal(byItself, page, 'a void is found by its own id as well')
})

test('an annual consent has a receipt with its limits and dates', async () => {
  const shop = await openShop(world())
  const id = await agree(shop)
  const page = await pageOf(shop, id, 4)
  const rows = rowsOf(page)
  assert.deepEqual(
    [rows['Consent ID'], rows['Account'], rows['Agreed']],
    [String(id), 'x1111', 'Jan 15, 2027, 5:00 AM'],
  )
  assert.match(String(rows['At most a charge']), /^\$[\d,]+\.\d\d$/)
  assert.match(page, /ACTIVE/)
})

test('a credit has a receipt that says which sale it refunds, and how much of it', async () => {
  const shop = await openShop(world())
  const TxID = await sell(shop)
  const body = { TxID, CreditAmount: 5.5 }
  const told = toldBy(await saleCredit.answer(shop.needs, shop.caller, body))
  assert.equal(told.code, 0)
  const creditId = Number(told.members['TxID'])
  const page = await pageOf(shop, creditId, 3)
  assert.match(page, /REFUND APPROVED/)
  const rows = rowsOf(page)
  assert.deepEqual(
    [rows['Transaction ID'], rows['Refunds'], rows['Account'], rows['Total']],
    [String(creditId), String(TxID), 'x1111', '$5.50 USD'],
  )
})

test('an agreement to recurring payments has a receipt with its plan', async () => {
  const shop = await openShop(world())
  const { consent: id } = await makePlan(shop.needs, shop.caller)
  const page = await pageOf(shop, id, 5)
  assert.match(page, /Agreement to recurring payments/)
  assert.doesNotMatch(page, /9999|At most/, 'a plan has an end and a sum of its own')
  assert.match(page, /ACTIVE/)
  const rows = rowsOf(page)
  assert.deepEqual(
    [rows['Consent ID'], rows['Account'], rows['Cardholder']],
    [String(id), 'x1111', 'Ann Example'],
  )
  assert.deepEqual(
    [rows['Period'], rows['Payments'], rows['Each payment'], rows['Last payment'], rows['In all']],
    ['MONTHLY', '3', '$33.33', '$33.34', '$100.00'],
  )
  assert.equal(rows['As of'], undefined, 'it stands as it was agreed')
})

test('the receipt of a plan that was changed says what was agreed and what became of it', async () => {
  const shop = await openShop(world())
  const { needs, caller } = shop
  const { consent: id, schedule } = await makePlan(needs, caller)
  const [first = 0, second = 0, third = 0] = schedule.map(({ SchedID }) => SchedID)
  const [changed, cancelled] = [second, third].map((one) => instalmentId(BigInt(one)))
  assert(changed && cancelled)
  const names = { amount: 'amount', dueOn: 'day' }
  const amount = { amount: { units: 40n, scale: 0 }, member: names.amount }
  const forty = { instalmentId: changed, amount, dueOn: null, names }
  assert((await modifyScheduledPayment(needs, caller, forty)).ok)
  await processSelected(needs, caller, [first, second])
  assert((await cancelScheduledPayment(needs, caller, { instalmentId: cancelled })).ok)
  const page = await pageOf(shop, id, 5)
  assert.match(page, /ENDED/)
  const rows = Object.entries(rowsOf(page))
  assert.deepEqual(Object.fromEntries(rows.slice(rows.findIndex(([label]) => label === 'Period'))), {
    Period: 'MONTHLY',
    Payments: '3',
    'Each payment': '$33.33',
    'Last payment': '$33.34',
    'In all': '$100.00',
    'As of': 'Jan 15, 2027, 5:00 AM',
    'Changed since': '+$6.67',
    Cancelled: '-$33.34',
    Collected: '$73.33',
    'Still to come': '$0.00',
  })
})

test('bank debits, their voids and their credits have receipts of their own', async () => {
  const shop = await openShop(world())
  const [kept, gone] = [await debit(shop), await debit(shop)]
  const credited = Number((await credit(shop, kept, 5)).members['TxID'])
  await undo(shop, gone)
  const rows = rowsOf(await pageOf(shop, kept, 7))
  assert.deepEqual(
    [rows['Account holder'], rows['Account'], rows['Entry method'], rows['Expiry']],
    ['Ada Miller', 'x6789', 'Bank transfer (ACH)', undefined],
  )
  assert.equal(rowsOf(await pageOf(shop, gone, 8))['Voids'], String(gone))
  const refund = rowsOf(await pageOf(shop, credited, 9))
  assert.deepEqual([refund['Refunds'], refund['Total']], [String(kept), '$5.00 USD'])
})

test('a type that does not fit is refused by name', async () => {
  const shop = await openShop(world())
  const [TxID, id, bank] = [await sell(shop), await agree(shop), await debit(shop)]
  for (const [REFID, ReceiptType] of [
    [TxID, 2],
    [TxID, 3],
    [TxID, 7],
    [bank, 1],
    [bank, 8],
    [id, 5],
  ] as const) {
    const told = await print(shop, { REFID: String(REFID), ReceiptType, Recipient: 1 })
    assert.deepEqual(
      [told.code, told.text, told.members],
      [6721, `There is no receipt of type ${ReceiptType} for ${REFID}`, { ReceiptHtml: '' }],
    )
  }
})

test('an id finds its receipt as messages tell it, with zeros in front', async () => {
  const shop = await openShop(world())
  const TxID = await sell(shop)
  const told = await print(shop, { REFID: `000${TxID}`, ReceiptType: 1, Recipient: 2 })
  assert.equal(told.members['ReceiptHtml'], await pageOf(shop, TxID, 1))
})

for (const REFID of ['1', '0e4cf0f5-7f0b-45a8-b5ab-3f0a5ef1a1d7']) {
  test(`whoever asks for the receipt of the international order ${REFID} is told where to`, async () => {
    const told = await print(await openShop(world()), { REFID, ReceiptType: 23, Recipient: 1 })
    const text = `There is no receipt of type 23 for ${REFID}; ReceiptType 23 is for Intl/ReceiptGenerate`
    assert.deepEqual([told.code, told.text, told.members], [6721, text, { ReceiptHtml: '' }])
  })
}

for (const [body, problem] of [
  [{ REFID: '1', ReceiptType: 10, Recipient: 1 }, /ReceiptType must be 1 to 5 or 7 to 9/],
  [{ REFID: '1', ReceiptType: 24, Recipient: 1 }, /ReceiptType/],
  [{ REFID: '1', ReceiptType: 6, Recipient: 1 }, /ReceiptType must be 1 to 5 or 7 to 9/],
  [{ REFID: 'abc', ReceiptType: 1, Recipient: 1 }, /REFID must be a TxID or a ConsentID/],
  [{ REFID: '000', ReceiptType: 1, Recipient: 1 }, /REFID/],
  [{ REFID: '1', ReceiptType: 23, Recipient: 1 }, /ReceiptType/],
  [{ REFID: '1', ReceiptType: 1, Recipient: 0 }, /Recipient/],
  [{ REFID: '1', ReceiptType: 1, Recipient: 4 }, /Recipient/],
] as const) {
  test(`${JSON.stringify(body)} is refused, and the member is named`, async () => {
    const { needs, caller } = await openShop(world())
    const read = requestReader(generateReceiptContract.request)(body)
    const told = read.ok
      ? toldBy(await operation.answer(needs, caller, read.value)).text
      : read.refusal.details['problem']
    assert.match(String(told), problem)
  })
}

test('a transaction or consent of another account or merchant record is not found', async () => {
  const needs = world()
  const [own, other] = [await openShop(needs), await openShop(needs)]
  const bound = { needs, caller: { ...own.caller, merchantNumber: merchantNumber(2) } }
  const [TxID, id] = [await sell(own), await agree(own)]
  await pageOf(own, TxID, 1)
  for (const shop of [other, bound]) {
    assert.equal((await print(shop, { REFID: String(TxID), ReceiptType: 1, Recipient: 1 })).code, 6724)
    assert.equal((await print(shop, { REFID: String(id), ReceiptType: 4, Recipient: 1 })).code, 6101)
  }
})
