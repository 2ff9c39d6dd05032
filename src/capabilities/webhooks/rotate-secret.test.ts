import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replayMessage } from '#capabilities/webhooks/replay.operation.ts'
import { rotateSecret } from '#capabilities/webhooks/rotate-secret.operation.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openReceiver } from '../../../test/support/webhook-receiver.ts'
import { dispatch, happen, openShop, verify } from '../../../test/support/webhook-world.ts'

const world = useWorld()

test('after a change of secrets the old one verifies for a day, the new one at once', async (t) => {
  const receiver = await openReceiver(t)
  const shop = await openShop(world(), receiver.url)
  const rotated = await rotateSecret(shop.needs, shop)
  assert(rotated.ok)
  await happen(shop)
  await dispatch(shop.needs)
  const [during] = receiver.received
  assert(during)
  verify(shop, shop.secret, during)
  verify(shop, rotated.value, during)
  shop.needs.clock.advance({ hours: 25 })
  await replayMessage(shop.needs, shop.accountId, String(during.headers['webhook-id']))
  await dispatch(shop.needs)
  const [, after] = receiver.received
  assert(after)
  verify(shop, rotated.value, after)
  assert.throws(() => verify(shop, shop.secret, after))
  assert.equal(after.body, during.body)
})

test('at most two secrets sign, however often they are changed', async (t) => {
  const receiver = await openReceiver(t)
  const shop = await openShop(world(), receiver.url)
  for (let changes = 0; changes < 3; changes++) await rotateSecret(shop.needs, shop)
  await happen(shop)
  await dispatch(shop.needs)
  assert.equal(String(receiver.received[0]?.headers['webhook-signature']).split(' ').length, 2)
})
