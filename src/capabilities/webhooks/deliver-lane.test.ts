import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryWebhooksWork } from '#capabilities/webhooks/deliver.task.ts'
import { deliverLane, nextTryWithin } from '#capabilities/webhooks/deliver-lane.operation.ts'
import { fanOutEvents, wakeLanes } from '#capabilities/webhooks/fan-out-events.operation.ts'
import { showDelivery } from '#capabilities/webhooks/show-deliveries.operation.ts'
import type { SendRequest } from '#platform/outbound/send-request.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import { runDueAt } from '../../../test/support/due-work.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { openReceiver } from '../../../test/support/webhook-receiver.ts'
import {
  addEndpoint,
  deliveriesOf,
  dispatch,
  eventOf,
  happen,
  openShop,
  statesOf,
  verify,
} from '../../../test/support/webhook-world.ts'

const world = useWorld()

test('an event is told at once, signed so that the public library accepts it', async (t) => {
  const receiver = await openReceiver(t)
  const shop = await openShop(world(), receiver.url)
  await happen(shop)
  await dispatch(shop.needs)
  const [one, ...others] = receiver.received
  assert(one)
  assert.equal(others.length, 0)
  assert.equal(one.headers['content-type'], 'application/json')
  const told = verify(shop, shop.secret, one)
  assert.deepEqual(told, {
    type: 'token.expiring',
    timestamp: '2027-01-15T10:00:00.000Z',
    seq: Object(told).seq,
    sandbox: true,
    data: {
      object: 'token',
      id: 1,
      alias: 'till 1',
      expiresAt: '2027-04-18T07:29:47.000Z',
      daysLeft: '30',
    },
  })
  assert.deepEqual(await statesOf(shop), ['delivered 1'])
  await dispatch(shop.needs)
  assert.equal(receiver.received.length, 1, 'what has arrived is not sent again')
})

test('a signature with another secret is not accepted', async (t) => {
  const receiver = await openReceiver(t)
  const needs = world()
  const [shop, other] = [await openShop(needs, receiver.url), await openShop(needs, receiver.url)]
  await happen(shop)
  await dispatch(needs)
  const [one] = receiver.received
  assert(one)
  assert.throws(() => verify(shop, other.secret, one))
})

test('every endpoint gets the events of its account that it asked for, and no other', async (t) => {
  const [all, some, foreign] = [await openReceiver(t), await openReceiver(t), await openReceiver(t)]
  const needs = world()
  const shop = await openShop(needs, all.url)
  await addEndpoint(needs, { ...shop, url: some.url, eventTypes: ['payment.approved'] })
  await openShop(needs, foreign.url)
  await happen(shop, 3)
  await dispatch(needs)
  assert.deepEqual(
    [all, some, foreign].map(({ received }) => received.length),
    [3, 0, 0],
  )
})

test('two endpoints are told the same bytes under the same id', async (t) => {
  const [first, second] = [await openReceiver(t), await openReceiver(t)]
  const needs = world()
  const shop = await openShop(needs, first.url)
  await addEndpoint(needs, { ...shop, url: second.url })
  await happen(shop)
  await dispatch(needs)
  const [left, right] = [first.received[0], second.received[0]]
  assert(left && right)
  assert.deepEqual([left.body, left.headers['webhook-id']], [right.body, right.headers['webhook-id']])
  assert.notEqual(left.headers['webhook-signature'], right.headers['webhook-signature'])
})

for (const status of [200, 202, 204, 299]) {
  test(`${status} means that it has arrived`, async (t) => {
    const receiver = await openReceiver(t)
    receiver.answer(status)
    const shop = await openShop(world(), receiver.url)
    await happen(shop)
    await dispatch(shop.needs)
    assert.deepEqual(await statesOf(shop), ['delivered 1'])
  })
}

for (const status of [301, 302, 307, 400, 401, 404, 500, 503]) {
  test(`${status} means that it has not`, async (t) => {
    const receiver = await openReceiver(t)
    receiver.answer(status, 200)
    const shop = await openShop(world(), receiver.url)
    await happen(shop)
    await dispatch(shop.needs)
    assert.deepEqual(await statesOf(shop), ['waiting 1'])
    shop.needs.clock.advance({ seconds: 7 })
    await dispatch(shop.needs)
    assert.deepEqual(await statesOf(shop), ['delivered 2'])
  })
}

test('the log has the exact bytes that were sent and the head of each answer', async (t) => {
  const receiver = await openReceiver(t, ({ path }, response) => {
    response.writeHead(path === '/hooks' ? 503 : 200, 'Out for lunch', { 'x-shop': 'closed' }).end('bye')
  })
  const shop = await openShop(world(), receiver.url)
  await happen(shop)
  await dispatch(shop.needs)
  const [delivery] = await deliveriesOf(shop)
  assert(delivery)
  const shown = await showDelivery(shop.needs, shop.accountId, delivery.deliveryId)
  const [sent] = receiver.received
  assert(shown && sent)
  assert.equal(shown.delivery.body, sent.body)
  const [first] = shown.tries
  assert(first)
  assert.deepEqual([first.number, first.status, first.problem], [1, 503, 'Answered 503'])
  assert.match(first.answerHead, /^HTTP\/1\.1 503 Out for lunch\nx-shop: closed/)
  assert.doesNotMatch(first.answerHead, /bye/)
  const headers = Object.entries(sent.headers).map(([name, value]) => `${name}: ${String(value)}`)
  assert.deepEqual(first.requestHead.split('\n'), ['POST /hooks HTTP/1.1', ...headers])
})

test('a restored or copied database tells nobody until an operator confirms', async (t) => {
  const receiver = await openReceiver(t)
  const shop = await openShop(world(), receiver.url)
  await happen(shop)
  await dispatch({ ...shop.needs, sending: { hold: { kind: 'paused', because: 'restored' } } })
  assert.equal(receiver.received.length, 0)
  await dispatch(shop.needs)
  assert.equal(receiver.received.length, 1)
})

test('a node that stops lets what is on its way arrive and begins nothing more', async (t) => {
  const receiver = await openReceiver(t)
  const stopping = new AbortController()
  const sendRequest: SendRequest = (one, signal) => {
    stopping.abort()
    return world().sendRequest(one, signal)
  }
  const shop = await openShop({ ...world(), sendRequest }, receiver.url)
  await happen(shop, 20)
  await fanOutEvents(shop.needs)
  const [due] = await wakeLanes(shop.needs)
  assert(due)
  const { signal } = new AbortController()
  await deliverLane(shop.needs, { ...due, signal, stopping: stopping.signal })
  const states = await statesOf(shop)
  assert(receiver.received.length <= 4, 'four at a time')
  assert.equal(states.filter((state) => state === 'delivered 1').length, receiver.received.length)
  assert.equal(states.filter((state) => state === 'waiting 0').length, 20 - receiver.received.length)
})

test('an event that is committed after a later one is not left out', async (t) => {
  const receiver = await openReceiver(t)
  const shop = await openShop(world(), receiver.url)
  const { needs, accountId } = shop
  const [drawn, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = needs.db.inTransaction(async (tx) => {
    await appendEvents(tx, [eventOf(accountId, 1)], needs.clock.now())
    drawn.resolve()
    await mayCommit.promise
  })
  await drawn.promise
  await happen(shop)
  await dispatch(needs)
  assert.equal(receiver.received.length, 0, 'the later one waits')
  mayCommit.resolve()
  await slow
  await dispatch(needs)
  assert.equal(receiver.received.length, 2)
})

test('an account whose clock is ahead is retried by its own time and signs by real time', async (t) => {
  const receiver = await openReceiver(t)
  receiver.answer(500, 200)
  const shop = await openShop(world(), receiver.url)
  await happen(shop)
  await dispatch(shop.needs)
  shop.needs.movedClocks.setOffsets(new Map([[shop.accountId, 3_600_000]]))
  await dispatch(shop.needs)
  const [, second] = receiver.received
  assert(second)
  verify(shop, shop.secret, second)
})

test('the time machine retries in order of time and tells of it', async (t) => {
  const receiver = await openReceiver(t)
  receiver.answer(500, 500, 200)
  const shop = await openShop(world(), receiver.url)
  const { needs, accountId } = shop
  await happen(shop)
  await dispatch(needs)
  const diary: string[] = []
  for (let moves = 0; moves < 2; moves++) {
    const after = needs.accountClock.now(accountId)
    const at = await nextTryWithin(needs, { accountId, after, until: after.add({ hours: 24 }) })
    assert(at)
    const offsetMs = at.since(needs.clock.now()).total('milliseconds')
    needs.movedClocks.setOffsets(new Map([[accountId, offsetMs]]))
    const entries = await runDueAt(needs, retryWebhooksWork, { accountId, at })
    diary.push(...entries.map(({ what, text }) => `${what}: ${text.replace(/^.*: /, '')}`))
  }
  assert.deepEqual(diary, [
    'webhook.failed: Answered 500; will be tried again',
    'webhook.delivered: delivered',
  ])
  const span = { accountId, after: needs.clock.now(), until: needs.clock.now().add({ hours: 999 }) }
  assert.equal(await nextTryWithin(needs, span), null)
})
