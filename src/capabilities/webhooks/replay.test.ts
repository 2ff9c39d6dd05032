import assert from 'node:assert/strict'
import { test } from 'node:test'
import { disableWebhookOf } from '#capabilities/webhooks/disable-webhook.operation.ts'
import { replayDead, replayRange } from '#capabilities/webhooks/replay.operation.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import type { Database } from '#platform/postgres/database.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openReceiver } from '../../../test/support/webhook-receiver.ts'
import {
  addEndpoint,
  deliveriesOf,
  dispatch,
  eventOf,
  happen,
  openShop,
} from '../../../test/support/webhook-world.ts'

const world = useWorld()
// After so many a call is refused.
const looksOfCall = 4

test('what never arrived is sent again on request, with the same id and bytes', async (t) => {
  const receiver = await openReceiver(t)
  receiver.answer(410)
  const shop = await openShop(world(), receiver.url)
  const other = await openReceiver(t)
  await happen(shop)
  await dispatch(shop.needs)
  assert.equal(await replayDead(shop.needs, shop.accountId), 0, 'the endpoint is disabled')
  const again = await addEndpoint(shop.needs, { ...shop, url: other.url, eventTypes: ['token.expiring'] })
  const day = { from: shop.needs.clock.now(), until: shop.needs.clock.now() }
  const replayed = await replayRange(shop.needs, { ...shop, ...day, endpointId: again.endpointId })
  assert.deepEqual(replayed, { ok: true, value: 1 })
  await dispatch(shop.needs)
  const [first, second] = [receiver.received[0], other.received[0]]
  assert(first && second)
  assert.deepEqual([second.body, second.headers['webhook-id']], [first.body, first.headers['webhook-id']])
})

test('a range is replayed to one endpoint, and nothing outside of it', async (t) => {
  const receiver = await openReceiver(t)
  const shop = await openShop(world(), receiver.url)
  for (let days = 0; days < 3; days++) {
    await happen(shop)
    await dispatch(shop.needs)
    shop.needs.clock.advance({ hours: 24 })
  }
  const from = shop.needs.clock.now().subtract({ hours: 49 })
  const range = { ...shop, from, until: from.add({ hours: 2 }) }
  assert.deepEqual(await replayRange(shop.needs, range), { ok: true, value: 1 })
  await dispatch(shop.needs)
  assert.equal(receiver.received.length, 4)
  assert.equal(receiver.received[3]?.body, receiver.received[1]?.body)
})

test('a replay waits for an event that is still being written, for longer than a call would', async (t) => {
  const receiver = await openReceiver(t)
  const shop = await openShop(world(), receiver.url)
  const { needs, accountId } = shop
  const now = needs.clock.now()
  const [written, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = needs.db.inTransaction(async (tx) => {
    await appendEvents(tx, [eventOf(accountId, 1)], now)
    written.resolve()
    await mayEnd.promise
  })
  t.after(() => {
    mayEnd.resolve()
    return slow
  })
  await written.promise
  let looks = 0
  const db: Database = {
    run: async (statement, values) => {
      if (statement.name === 'read_event_writers_under_way') looks++
      if (looks > looksOfCall) {
        mayEnd.resolve()
        await slow
      }
      return needs.db.run(statement, values)
    },
    inTransaction: (work) => needs.db.inTransaction(work),
    close: () => Promise.resolve(),
  }
  const replayed = await replayRange({ ...needs, db }, { ...shop, from: now, until: now })
  assert.deepEqual(replayed, { ok: true, value: 1 })
})

test('what waits for an endpoint that is disabled is listed as undelivered', async (t) => {
  const receiver = await openReceiver(t)
  receiver.answer(500)
  const shop = await openShop(world(), receiver.url)
  await happen(shop)
  await dispatch(shop.needs)
  assert((await disableWebhookOf(shop.needs, { ...shop, merchantNumber: null })).ok)
  const [delivery] = await deliveriesOf(shop)
  assert.deepEqual([delivery?.state, delivery?.problem], ['dead', 'The endpoint is disabled'])
})
