import assert from 'node:assert/strict'
import { test } from 'node:test'
import { laneOfEndpoint, type NewDelivery } from '#capabilities/webhooks/delivery.ts'
import { insertDeliveries } from '#capabilities/webhooks/delivery.store.ts'
import { disableWebhookOf } from '#capabilities/webhooks/disable-webhook.operation.ts'
import { endEndpoint } from '#capabilities/webhooks/end-endpoint.operation.ts'
import { replayMessage } from '#capabilities/webhooks/replay.operation.ts'
import type { Tx } from '#platform/postgres/database.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { somebodyWaits } from '../../../test/support/somebody-waits.ts'
import { call, eventsOf, openTill } from '../../../test/support/till.ts'
import { openReceiver } from '../../../test/support/webhook-receiver.ts'
import {
  addEndpoint,
  deliveriesOf,
  dispatch,
  happen,
  openShop,
  type Shop,
} from '../../../test/support/webhook-world.ts'

const world = useWorld()

test('a disabled webhook is told nothing more, and disabling it again is no error', async (t) => {
  const receiver = await openReceiver(t)
  const till = await openTill(world())
  const { members } = await call(till, 'Webhook/Add', { URL: receiver.url })
  const { WebhookID } = members
  for (let times = 0; times < 2; times++) {
    const disabled = await call(till, 'Webhook/Disable', { WebhookID })
    assert.equal(disabled.text, `Successfully Disabled Webhook ID : ${WebhookID}`)
  }
  await call(till, 'CardSale/Manual', {
    ccCardInfo: { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2030 },
    Amounts: { BaseAmt: 10 },
    MerchID: 1,
  })
  await dispatch(till.needs)
  assert.equal(receiver.received.length, 0)
  assert.deepEqual(await eventsOf(till), ['webhook.disabled', 'payment.approved'], 'told once')
})

test('a webhook that does not exist is not found', async () => {
  const till = await openTill(world())
  const refused = await call(till, 'Webhook/Disable', { WebhookID: 987_654_321 })
  assert.deepEqual([refused.code, refused.members], [6901, { WebhookID: 0 }])
})

test('what is handed out while a webhook is disabled is not sent there', async () => {
  const shop = await openShop(world(), 'http://127.0.0.1:9/hooks')
  const handOut = (tx: Tx) => insertDeliveries(tx, [deliveryTo(shop)])
  await meanwhile(shop, handOut, () => disableWebhookOf(shop.needs, { ...shop, merchantNumber: null }))
  const [delivery] = await deliveriesOf(shop)
  assert.deepEqual([delivery?.state, delivery?.problem], ['dead', 'The endpoint is disabled'])
})

test('nothing is handed out to a webhook that was just disabled', async () => {
  const shop = await openShop(world(), 'http://127.0.0.1:9/hooks')
  const handOut = () => shop.needs.db.inTransaction((tx) => insertDeliveries(tx, [deliveryTo(shop)]))
  const made = await meanwhile(shop, (tx) => endEndpoint(shop.needs, tx, { ...shop, because: '' }), handOut)
  assert.deepEqual([made, await deliveriesOf(shop)], [0, []])
})

test('what is replayed while a webhook is disabled goes to the others alone', async (t) => {
  const [first, second] = [await openReceiver(t), await openReceiver(t)]
  const shop = await openShop(world(), first.url)
  await addEndpoint(shop.needs, { ...shop, url: second.url, eventTypes: ['token.expiring'] })
  await happen(shop)
  await dispatch(shop.needs)
  const [delivery] = await deliveriesOf(shop)
  assert(delivery)
  const replay = () => replayMessage(shop.needs, shop.accountId, delivery.messageId)
  const renewed = await meanwhile(shop, (tx) => endEndpoint(shop.needs, tx, { ...shop, because: '' }), replay)
  await dispatch(shop.needs)
  assert.deepEqual([renewed, first.received.length, second.received.length], [1, 1, 2])
})

// The second begins before the first is committed, and has ended or waits for it when it is.
async function meanwhile<T>(
  { needs: { db } }: Shop,
  first: (tx: Tx) => Promise<unknown>,
  second: () => Promise<T>,
): Promise<T> {
  return db
    .inTransaction(async (tx) => {
      await first(tx)
      const ending = second()
      await Promise.race([ending, somebodyWaits(db)])
      return { ending }
    })
    .then(({ ending }) => ending)
}

function deliveryTo({ needs, accountId, endpointId }: Shop): NewDelivery {
  return {
    accountId,
    endpointId,
    lane: laneOfEndpoint(endpointId),
    eventId: null,
    messageId: 'msg_1',
    method: 'POST',
    url: 'http://127.0.0.1:9/hooks',
    body: '{}',
    at: needs.clock.now(),
  }
}
