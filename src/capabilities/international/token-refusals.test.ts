import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeMerchant } from '#engine/merchants/change-merchant.operation.ts'
import type { MerchantSettings } from '#engine/merchants/merchant.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import {
  buy,
  findRecords,
  international,
  openShop,
  proc,
  stepsOf,
} from '../../../test/support/order-world.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import type { Till } from '../../../test/support/till.ts'

const world = useWorld()

type Offer = { readonly shop: Till; readonly token: string }

// A shop with these settings, and the token of a card that a payer has let it keep.
async function offer(changes: Partial<MerchantSettings> = {}): Promise<Offer> {
  const shop = await openShop(world())
  const { accountId: account } = shop.account
  const change = { account, merchant: merchantNumber(international), changes }
  assert((await changeMerchant(shop.needs, change)).ok)
  const { consentToken: token } = await buy(shop, { saves: true })
  return { shop, token }
}

// Refused, and nothing of it was recorded.
async function refusedWith({ shop, token }: Offer, amount: number): Promise<number> {
  const before = await findRecords(shop, '(G=3)')
  const { code, members } = await proc(shop, token, amount)
  assert.deepEqual(members, { AuthorizedAmt: 0, TransID: '', TxApproved: false, TxnCode: '' })
  assert.deepEqual(await findRecords(shop, '(G=3)'), before)
  return code
}

test('more than the consent allows in all is refused, and what is left is charged', async () => {
  const made = await offer({ limitLifetimeMinor: 10_000n })
  assert.equal((await proc(made.shop, made.token, 60)).code, 0)
  assert.equal(await refusedWith(made, 60), 6105)
  assert.equal((await proc(made.shop, made.token, 40)).code, 0)
})

test('more than the consent allows at once is refused', async () => {
  assert.equal(await refusedWith(await offer({ limitPerChargeMinor: 1_000n }), 10.01), 6104)
})

test('a consent that has ended is refused', async () => {
  const made = await offer({ consentDays: 30 })
  made.shop.needs.clock.advance({ hours: 24 * 30 })
  assert.equal((await proc(made.shop, made.token, 5)).code, 0)
  made.shop.needs.clock.advance({ hours: 24 * 2 })
  assert.equal(await refusedWith(made, 5), 6103)
})

test('a card that has expired is refused', async () => {
  const made = await offer({ consentDays: 3_650 })
  made.shop.needs.clock.advance({ hours: 24 * 365 * 5 })
  assert.equal(await refusedWith(made, 5), 6106)
})

const authorize = async () => ({ kind: 'not_sent' }) as const

test('a charge that never left is no charge, and its order says so', async () => {
  const { shop, token } = await offer()
  const acquirer = { ...shop.needs.acquirer, authorize }
  const cut = { ...shop.needs, ...paymentEngine({ ...shop.needs, acquirer }), clock: shop.needs.clock }
  const told = await proc({ ...shop, needs: cut }, token, 5)
  assert.deepEqual([told.code, told.members['TxApproved']], [9002, false])
  const steps = await stepsOf(shop, String(told.members['TransID']))
  assert.deepEqual(steps, ['RECURRING_SALE ERROR/DECLINED 5'])
})

for (const [what, body] of [
  ['an empty token', ''],
  ['a token of 76 characters', 'x'.repeat(76)],
] as const) {
  test(`${what} is refused by name`, async () => {
    const { shop } = await offer()
    assert.equal((await proc(shop, body, 5)).code, 4003)
  })
}
