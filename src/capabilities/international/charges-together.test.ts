import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consentId, type ConsentId } from '#capabilities/consents/consent.ts'
import { findOrder } from '#engine/orders/find-order.operation.ts'
import { orderReader } from '#engine/orders/follow-order.operation.ts'
import { charge, makeConsent } from '../../../test/support/consent-world.ts'
import {
  buy,
  cards,
  findRecords,
  international,
  openShop,
  type Wish,
} from '../../../test/support/order-world.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { sell, type Till } from '../../../test/support/till.ts'

const world = useWorld()

// The same shop, and how often what orders need was read.
function watched(shop: Till): { readonly shop: Till; readonly reads: () => number } {
  let count = 0
  const run: World['db']['run'] = (statement, values) => {
    if (statement.name === 'find_order_beginnings') count += 1
    return shop.needs.db.run(statement, values)
  }
  return {
    shop: { ...shop, needs: { ...shop.needs, orderReads: orderReader({ db: { run } }) } },
    reads: () => count,
  }
}

test('stored cards that are charged together share their reads, and each charge is an order', async () => {
  const { shop, reads } = watched(await openShop(world()))
  const { needs, caller } = shop
  const consents = []
  for (const ExpMonth of [10, 11, 12])
    consents.push(
      await makeConsent(needs, caller, { card: { ExpMonth }, creator: { MerchID: international } }),
    )
  const paid = await Promise.all(
    consents.map((consent, at) => charge(needs, caller, consent, { Amounts: at + 1 })),
  )
  assert.deepEqual(
    paid.map(({ ok }) => ok),
    [true, true, true],
  )
  assert.equal(reads(), 1)
  const records = await findRecords(shop, '(G=3)')
  assert.deepEqual(
    records.map((record) => `${record['Amount']} ${record['Card_Expiration_Date']}`).toSorted(),
    ['1 10/2030', '2 11/2030', '3 12/2030'],
  )
  assert.equal(new Set(records.map((record) => record['Trans_ID'])).size, 3)
})

test('of what is charged together each has its own payer, card and token', async () => {
  const { shop, reads } = watched(await openShop(world()))
  const [salem, salemCard] = await saved(shop, { payer: { city: 'Salem' } })
  const [dover, doverCard] = await saved(shop, { payer: { city: 'Dover' }, card: cards.ordinary })
  await Promise.all([
    charge(shop.needs, shop.caller, doverCard, { Amounts: 1 }),
    charge(shop.needs, shop.caller, salemCard, { Amounts: 2 }),
  ])
  assert.equal(reads(), 1)
  await sell(shop, 3, { record: international })
  const told = new Map((await findRecords(shop, '(B=3)')).map((record) => [record['Amount'], record]))
  const facts = [1, 2, 3].map((amount) => told.get(amount))
  assert.deepEqual(
    facts.map((record) => [record?.['City'], record?.['Card'], record?.['Recurring_Token']]),
    [
      ['Dover', '1111', dover],
      ['Salem', '3055', salem],
      ['', '1111', ''],
    ],
  )
  const [first, second, third] = facts.map((record) => record?.['Card_Token'])
  assert.equal(first, third)
  assert.notEqual(first, second)
})

test('an order begins with what is known of its own card alone', async () => {
  const needs = world()
  const [shop, other] = [await openShop(needs), await openShop(needs)]
  const [token, own] = await saved(shop, { payer: { city: 'Salem' } })
  const [, foreign] = await saved(other, {})
  const account = shop.account.accountId
  const begun = await Promise.all(
    [null, own, own, foreign, consentId(987_654_321n)].map((consent) =>
      needs.orderReads.add({ account, consent }),
    ),
  )
  assert.deepEqual(
    begun.map(({ fingerprint, consentToken, payer }) => [fingerprint.length, consentToken, payer.city]),
    [
      [0, '', undefined],
      [64, token, 'Salem'],
      [64, token, 'Salem'],
      [0, '', undefined],
      [0, '', undefined],
    ],
  )
  assert.equal(new Set(begun.map(({ orderId }) => orderId)).size, 5)
})

// A card that its payer has left with an order: its token and its consent.
async function saved(shop: Till, wish: Wish): Promise<readonly [string, ConsentId]> {
  const { transactionId, consentToken } = await buy(shop, { saves: true, ...wish })
  const order = await findOrder(shop.needs, { account: shop.account.accountId, transactionId })
  assert(order && order.consentId !== null)
  return [consentToken, consentId(order.consentId)]
}
