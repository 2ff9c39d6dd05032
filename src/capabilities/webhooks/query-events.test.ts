import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { int8, jsonb } from '#platform/postgres/column-type.ts'
import { statement } from '#platform/postgres/statement.ts'
import { useWorld } from '../../../test/support/session-world.ts'
import { call, openTill, sell, type Till, undo } from '../../../test/support/till.ts'
import { openReceiver } from '../../../test/support/webhook-receiver.ts'
import { dispatch, eventOf } from '../../../test/support/webhook-world.ts'

const world = useWorld()

type Told = { readonly ID: string; readonly Type: string; readonly CreatedOn: string; readonly Body: string }

async function ask(till: Till, body: object = {}) {
  const { code, text, members } = await call(till, 'Event/Query', body)
  assert.equal(code, 0)
  const { Events, Cursor, HasMore } = members
  return { text, events: Events as readonly Told[], cursor: Number(Cursor), hasMore: HasMore === true }
}

const byId = (left: { id: string }, right: { id: string }) => (left.id < right.id ? -1 : 1)

test('what happened is told in order, in the words and under the ids of the webhooks', async (t) => {
  const receiver = await openReceiver(t)
  const till = await openTill(world())
  await call(till, 'Webhook/Add', { URL: receiver.url })
  const sale = await sell(till, 25.5)
  await undo(till, sale)
  await dispatch(till.needs)
  const { text, events } = await ask(till)
  assert.equal(text, 'Successfully Returned Event Records : 2')
  assert.deepEqual(
    events.map(({ Type, CreatedOn }) => [Type, CreatedOn]),
    [
      ['payment.approved', '2027-01-15T10:00:00.000Z'],
      ['payment.voided', '2027-01-15T10:00:00.000Z'],
    ],
  )
  assert.equal(JSON.parse(events[0]?.Body ?? '').data.id, sale)
  assert.deepEqual(
    events.map(({ ID, Body }) => ({ id: ID, body: Body })).toSorted(byId),
    receiver.received
      .map(({ headers, body }) => ({ id: String(headers['webhook-id']), body }))
      .toSorted(byId),
  )
})

const keepBodyStatement = statement(
  'test_keep_body',
  [int8, jsonb],
  { event_id: int8 },
  `update event set body = $2 where account_id = $1 and body is null returning event_id`,
)

test('an outcome reads the same as one that an earlier version kept with its words', async () => {
  const till = await openTill(world())
  const sale = await sell(till, 25.5)
  await undo(till, sale)
  const { events } = await ask(till)
  const { object, id, ...words } = JSON.parse(events[0]?.Body ?? '').data
  assert.deepEqual([object, id, words.amount, words.kind], ['payment', sale, '25.50', 'sale'])
  const kept = await till.needs.db.run(keepBodyStatement, [till.account.accountId, words])
  assert.equal(kept.length, 1)
  assert.deepEqual((await ask(till)).events, events)
})

const deleteAttemptStatement = statement(
  'test_delete_attempt',
  [int8],
  { attempt_id: int8 },
  `delete from attempt where attempt_id = $1 returning attempt_id`,
)

test('a payment that somebody has deleted by hand keeps no event behind it from being told', async () => {
  const till = await openTill(world())
  const [lost, other] = [await sell(till, 1), await sell(till, 2)]
  await till.needs.db.run(deleteAttemptStatement, [BigInt(lost)])
  const first = await ask(till, { Limit: 1 })
  assert.deepEqual([first.events, first.hasMore], [[], true])
  const { events } = await ask(till, { Cursor: first.cursor, Limit: 1 })
  assert.deepEqual(
    events.map(({ Body }) => JSON.parse(Body).data.id),
    [other],
  )
})

test('whoever goes on from the cursor sees everything once', async () => {
  const needs = world()
  const [till, other] = [await openTill(needs), await openTill(needs)]
  for (let sales = 1; sales <= 7; sales++) await sell(sales % 2 === 0 ? other : till, sales)
  const seen: string[] = []
  let from = { cursor: 0, hasMore: true }
  while (from.hasMore) {
    const { events, cursor, hasMore } = await ask(till, { Cursor: from.cursor, Limit: 2 })
    seen.push(...events.map(({ Body }) => JSON.parse(Body).data.amount))
    from = { cursor, hasMore }
  }
  assert.deepEqual(seen, ['1.00', '3.00', '5.00', '7.00'])
  assert.deepEqual((await ask(till, { Cursor: from.cursor })).events, [])
  await sell(till, 9)
  const { events } = await ask(till, { Cursor: from.cursor })
  assert.deepEqual(
    events.map(({ Body }) => JSON.parse(Body).data.amount),
    ['9.00'],
  )
})

test('nothing of another account is told', async () => {
  const needs = world()
  const [till, other] = [await openTill(needs), await openTill(needs)]
  await sell(other, 10)
  assert.deepEqual((await ask(till)).events, [])
})

test('a token for one merchant record hears of no other, and its cursor passes them', async () => {
  const { caller, ...rest } = await openTill(world())
  await sell({ caller, ...rest }, 10)
  const all = await ask({ caller, ...rest })
  const [first, second] = [1, 2].map((only) => ({
    ...rest,
    caller: { ...caller, merchantNumber: merchantNumber(only) },
  }))
  assert(first && second)
  assert.deepEqual([all.events.length, (await ask(first)).events.length], [1, 1])
  assert.deepEqual(await ask(second), { ...all, text: 'Successfully Returned Event Records : 0', events: [] })
})

test('an event that is still being committed holds the answer back rather than being missed', async () => {
  const till = await openTill(world())
  const { needs, account } = till
  const [drawn, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow = needs.db.inTransaction(async (tx) => {
    await appendEvents(tx, [eventOf(account.accountId, 1)], needs.clock.now())
    drawn.resolve()
    await mayCommit.promise
  })
  await drawn.promise
  await sell(till, 10)
  assert.equal((await call(till, 'Event/Query', {})).code, 9001)
  mayCommit.resolve()
  await slow
  const { events } = await ask(till)
  assert.deepEqual(
    events.map(({ Type }) => Type),
    ['token.expiring', 'payment.approved'],
  )
})

for (const [body, text] of [
  [{ Cursor: -1 }, 4003],
  [{ Limit: 0 }, 4003],
  [{ Limit: 1_001 }, 4003],
  [{ Cursor: '1' }, 4001],
] as const) {
  test(`${JSON.stringify(body)} is refused with ${text}`, async () => {
    assert.equal((await call(await openTill(world()), 'Event/Query', body)).code, text)
  })
}
