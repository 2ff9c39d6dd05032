import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { listWebhooksOf } from '#capabilities/webhooks/list-webhooks.operation.ts'
import { requestSender, type SendRequest } from '#platform/outbound/send-request.ts'
import { useWorld, type World } from '../../../test/support/session-world.ts'
import { openReceiver } from '../../../test/support/webhook-receiver.ts'
import {
  addEndpoint,
  deliveriesOf,
  dispatch,
  happen,
  openShop,
  statesOf,
} from '../../../test/support/webhook-world.ts'

const world = useWorld()

test('ten tries over about 75 hours with the same bytes, then it is listed as undelivered', async (t) => {
  const receiver = await openReceiver(t)
  receiver.answer(500)
  const shop = await openShop(world(), receiver.url)
  const began = shop.needs.clock.now()
  await happen(shop)
  let hours = 0
  for (let rounds = 0; rounds < 2_000 && (await statesOf(shop))[0] !== 'dead 10'; rounds++) {
    await dispatch(shop.needs)
    const [delivery] = await deliveriesOf(shop)
    if (delivery?.state === 'waiting' && delivery.tries === 9)
      hours = delivery.nextTryAt.since(began).total('hours')
    shop.needs.clock.advance({ minutes: 3 })
  }
  assert.equal(receiver.received.length, 10)
  assert.equal(new Set(receiver.received.map(({ body }) => body)).size, 1)
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
  assert(hours > 60 && hours < 91, `the last try comes after ${hours} h`)
  const [webhook] = await listWebhooksOf(shop.needs, shop.accountId)
  assert.deepEqual([webhook?.isActive, webhook?.waiting, webhook?.dead], [true, 0, 1])
})

test('410 disables the endpoint, and nothing more is sent there', async (t) => {
  const receiver = await openReceiver(t)
  receiver.answer(500, 500, 410)
  const shop = await openShop(world(), receiver.url)
  await happen(shop, 2)
  await dispatch(shop.needs)
  shop.needs.clock.advance({ seconds: 7 })
  await dispatch(shop.needs)
  const [webhook] = await listWebhooksOf(shop.needs, shop.accountId)
  assert.deepEqual([webhook?.isActive, webhook?.disabledBecause], [false, 'The receiver answered 410'])
  const asked = receiver.received.length
  await happen(shop, 5)
  shop.needs.clock.advance({ hours: 100 })
  await dispatch(shop.needs)
  assert.equal(receiver.received.length, asked)
  assert.equal((await statesOf(shop)).filter((state) => state.startsWith('waiting')).length, 0)
})

test('an endpoint that has failed for five days is disabled', async (t) => {
  const receiver = await openReceiver(t)
  receiver.answer(500)
  const shop = await openShop(world(), receiver.url)
  const told = await openReceiver(t)
  await addEndpoint(shop.needs, { ...shop, url: told.url, eventTypes: ['webhook.disabled'] })
  for (let days = 0; days <= 5; days++) {
    const [webhook] = await listWebhooksOf(shop.needs, shop.accountId)
    assert(webhook?.isActive, `after ${days} days`)
    await happen(shop)
    await dispatch(shop.needs)
    shop.needs.clock.advance({ hours: 24 })
  }
  const [webhook] = await listWebhooksOf(shop.needs, shop.accountId)
  assert.deepEqual([webhook?.isActive, webhook?.disabledBecause], [false, 'It has failed for 5 days'])
  assert(shop.needs.lines.some(({ text }) => text === 'A webhook endpoint is disabled'))
  await t.waitFor(
    async () => {
      await dispatch(shop.needs)
      assert.equal(told.received.length, 1)
    },
    { timeout: 30_000 },
  )
  const { data } = JSON.parse(told.received[0]?.body ?? '')
  assert.deepEqual(data, {
    object: 'webhook',
    id: Number(shop.endpointId),
    host: new URL(receiver.url).host,
    because: 'It has failed for 5 days',
    merchant: '',
  })
})

test('an endpoint that is seldom told of anything is not disabled by a failure now and then', async (t) => {
  const receiver = await openReceiver(t)
  receiver.answer(500)
  const shop = await openShop(world(), receiver.url)
  for (let months = 0; months < 3; months++) {
    await happen(shop)
    for (let hours = 0; hours < 96; hours += 4) {
      await dispatch(shop.needs)
      shop.needs.clock.advance({ hours: 4 })
    }
    shop.needs.clock.advance({ hours: 24 * 26 })
  }
  const [webhook] = await listWebhooksOf(shop.needs, shop.accountId)
  assert.equal(webhook?.isActive, true)
})

// Busy for an hour when it is first called.
async function openBusyReceiver(t: TestContext) {
  let calls = 0
  const receiver = await openReceiver(t, (_, response) => {
    calls++
    response.writeHead(calls === 1 ? 429 : 200, { 'retry-after': '3600' }).end()
  })
  return { url: receiver.url, calls: () => calls }
}

test('Retry-After is obeyed, for this delivery and for all others of a receiver that is busy', async (t) => {
  const { url, calls } = await openBusyReceiver(t)
  const shop = await openShop(world(), url)
  await happen(shop)
  await dispatch(shop.needs)
  await happen(shop)
  shop.needs.clock.advance({ minutes: 59 })
  await dispatch(shop.needs)
  assert.equal(calls(), 1)
  shop.needs.clock.advance({ minutes: 1 })
  await dispatch(shop.needs)
  assert.equal(calls(), 3)
})

test('Retry-After is obeyed although something that was on its way arrives meanwhile', async (t) => {
  const { url, calls } = await openBusyReceiver(t)
  const { promise: isBusy, resolve: told } = Promise.withResolvers<void>()
  let begun = 0
  const sendRequest: SendRequest = async (one, signal) => {
    begun++
    if (begun === 2) await isBusy
    return world().sendRequest(one, signal)
  }
  const shop = await openShop({ ...world(), sendRequest }, url)
  await happen(shop, 2)
  const round = dispatch(shop.needs)
  await t.waitFor(async () => assert((await statesOf(shop)).includes('waiting 1')), { timeout: 30_000 })
  told()
  await round
  assert.deepEqual((await statesOf(shop)).toSorted(), ['delivered 1', 'waiting 1'])
  await happen(shop)
  shop.needs.clock.advance({ minutes: 59 })
  await dispatch(shop.needs)
  assert.equal(calls(), 2)
  shop.needs.clock.advance({ minutes: 1 })
  await dispatch(shop.needs)
  assert.equal(calls(), 4)
})

test('a receiver that hangs keeps nobody else waiting', async (t) => {
  const hanging = await openReceiver(t, () => undefined)
  const healthy = await openReceiver(t)
  const patient = world().sendRequest
  const hasty = requestSender({ mode: 'sandbox', totalMs: 300 })
  const isOver = Promise.withResolvers<void>()
  const sendRequest: SendRequest = async (one, signal) => {
    if (one.url !== hanging.url) return patient(one, signal)
    await isOver.promise
    return hasty(one, signal)
  }
  const needs: World = { ...world(), sendRequest }
  const [slow, quick] = [await openShop(needs, hanging.url), await openShop(needs, healthy.url)]
  await happen(slow, 40)
  await happen(quick, 40)
  const round = dispatch(needs)
  await t.waitFor(async () => assert.equal(healthy.received.length, 40), { timeout: 30_000, interval: 5 })
  assert.deepEqual(new Set(await statesOf(slow)), new Set(['waiting 0']))
  isOver.resolve()
  await round
  assert(hanging.received.length <= 8, 'four at a time, and after five failures it rests')
  assert.deepEqual(new Set(await statesOf(quick)), new Set(['delivered 1']))
})

test('while a receiver fails, what waits behind uses up no tries; it arrives later', async (t) => {
  const receiver = await openReceiver(t)
  receiver.answer(500)
  const shop = await openShop(world(), receiver.url)
  await happen(shop, 50)
  await dispatch(shop.needs)
  assert(receiver.received.length < 10)
  receiver.answer(200)
  shop.needs.clock.advance({ minutes: 6 })
  await dispatch(shop.needs)
  assert.deepEqual(
    (await deliveriesOf(shop)).filter(({ state }) => state !== 'delivered'),
    [],
  )
})
