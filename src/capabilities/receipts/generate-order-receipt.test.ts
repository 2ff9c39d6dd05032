import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { buy, cards, challenge, openShop, proc, undoOrder } from '../../../test/support/order-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill, sell, type Till } from '../../../test/support/till.ts'

const world = useWorld()

const print = (shop: Till, REFID: string, { type = 23, Recipient = 2 } = {}) =>
  call(shop, 'Intl/ReceiptGenerate', { REFID, ReceiptType: type, Recipient })

async function pageOf(shop: Till, transactionId: string, Recipient = 2): Promise<string> {
  const told = await print(shop, transactionId, { Recipient })
  assert.equal(told.text, 'Successfully Returned Transaction Receipt Markup')
  return String(told.members['ReceiptHtml'])
}

function rowsOf(page: string): Readonly<Record<string, string>> {
  const rows = page.matchAll(/<dt>([^<]*)<\/dt>\s*<dd>([^<]*)<\/dd>/g)
  return Object.fromEntries([...rows].map(([, label = '', value = '']) => [label, value]))
}

test('the receipt of an order tells who paid what, and no more of the card than its end', async () => {
  const shop = await openShop(world())
  const { transactionId } = await buy(shop)
  const page = await pageOf(shop, transactionId)
  assert.deepEqual(rowsOf(page), {
    Cardholder: 'Ann Example',
    Account: 'x3055',
    Expiry: 'xxxx',
    'Transaction ID': transactionId,
    Reference: 'order-1001',
    Date: 'Jan 15, 2027, 5:00 AM',
    'Card type': 'Visa ending 3055',
    'Entry method': 'Online',
    For: 'Books',
    Amount: '&#x20AC;25.50',
    Total: '&#x20AC;25.50 EUR',
  })
  assert.match(page, /SALE APPROVED/)
})

test('each recipient has a copy, and 3 has both', async () => {
  const shop = await openShop(world())
  const { transactionId } = await buy(shop)
  const copies = async (recipient: number) =>
    (await pageOf(shop, transactionId, recipient)).match(/(MERCHANT|CUSTOMER) COPY/g)
  assert.deepEqual(await copies(1), ['MERCHANT COPY'])
  assert.deepEqual(await copies(2), ['CUSTOMER COPY'])
  assert.deepEqual(await copies(3), ['MERCHANT COPY', 'CUSTOMER COPY'])
})

test('the page is pure ASCII, whatever the payer is called', async () => {
  const shop = await openShop(world())
  const { transactionId } = await buy(shop, { payer: { firstName: 'Zoë', lastName: '<b>Łukasz 日本</b>' } })
  const page = await pageOf(shop, transactionId, 3)
  assert.match(page, /^[\t\n -~]*$/)
  assert.match(page, /Zo&#xEB; &lt;b&gt;&#x141;ukasz &#x65E5;&#x672C;&lt;\/b&gt;/)
})

test('a reprint never changes', async () => {
  const shop = await openShop(world())
  const { transactionId } = await buy(shop)
  const first = await pageOf(shop, transactionId)
  await undoOrder(shop, transactionId, 25.5)
  const changes = { name: 'Another Name', address: 'Elsewhere' }
  const order = { account: shop.account.accountId, merchant: merchantNumber(2), changes }
  assert((await changeMerchant(shop.needs, order)).ok)
  assert.equal(await pageOf(shop, transactionId), first)
})

test('a charge by a token is one of a card on file, a decline is told as one', async () => {
  const shop = await openShop(world())
  const { consentToken } = await buy(shop, { saves: true })
  const charged = await proc(shop, consentToken, 5)
  const page = await pageOf(shop, String(charged.members['TransID']))
  assert.equal(rowsOf(page)['Entry method'], 'Card on file')
  const declined = await buy(shop, { card: cards.rejected })
  assert.match(await pageOf(shop, declined.transactionId), /SALE DECLINED/)
})

test('other types, accounts, domestic transactions and unfinished orders have no such receipt', async () => {
  const needs = world()
  const [shop, other] = [await openShop(needs), await openShop(needs)]
  const { transactionId } = await buy(shop)
  const waiting = await challenge(shop)
  const domestic = String(await sell(shop, 10))
  const codeOf = async (told: ReturnType<typeof print>) => (await told).code
  assert.equal(await codeOf(print(shop, transactionId, { type: 1 })), 4003)
  assert.equal(await codeOf(print(shop, transactionId, { Recipient: 4 })), 4003)
  assert.equal(await codeOf(print(other, transactionId)), 6724)
  assert.equal(await codeOf(print(shop, domestic)), 6724)
  assert.equal(await codeOf(print(shop, waiting.transactionId)), 9003)
  assert.equal(await codeOf(print(await openTill(needs), transactionId)), 6501)
})
