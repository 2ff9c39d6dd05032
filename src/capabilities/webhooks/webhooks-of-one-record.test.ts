import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { replayMessage, replayRange } from '#capabilities/webhooks/replay.operation.ts'
import { endpointId } from '#capabilities/webhooks/endpoint.ts'
import { appendEvents } from '#engine/events/append-events.operation.ts'
import { merchantNumber } from '#kernel/ids.ts'
import { int4, int8, nullable } from '#platform/postgres/column-type.ts'
import { migrate } from '#platform/postgres/migrate.ts'
import { statement } from '#platform/postgres/statement.ts'
import { makeEarlierDatabase, withClient } from '../../../test/support/earlier-database.ts'
import { makeMerchant, useWorld } from '../../../test/support/session-world.ts'
import { call, openTill, sell, type Till } from '../../../test/support/till.ts'
import { testConnection } from '../../../test/support/test-cluster.ts'
import { openReceiver, type Receiver } from '../../../test/support/webhook-receiver.ts'
import { deliveriesOf, dispatch, eventOf } from '../../../test/support/webhook-world.ts'

// Migration 36, too: whose events a webhook is told depends on who adds it.

const world = useWorld()
const URL = 'https://shop.example/tillgate'

// As a node of the version before leaves it: what waits is of the whole account.
const bindStatement = statement(
  'test_bind_webhook',
  [int8, nullable(int4)],
  {},
  `update webhook_endpoint set merchant_number = $2 where endpoint_id = $1`,
)

// Somebody who works for the whole account, and one caller for each of its two records.
async function openTills(): Promise<Readonly<Record<'all' | 'first' | 'second', Till>>> {
  const all = await openTill(world())
  await makeMerchant(all.needs, all.account)
  const boundTo = (only: number) => ({
    ...all,
    caller: { ...all.caller, merchantNumber: merchantNumber(only) },
  })
  return { all, first: boundTo(1), second: boundTo(2) }
}

async function add(till: Till, url = URL): Promise<number> {
  const { code, members } = await call(till, 'Webhook/Add', { URL: url })
  assert.equal(code, 0)
  return Number(members['WebhookID'])
}

const listed = async (till: Till) =>
  Object.values(Object((await call(till, 'Webhook/List', {})).members['Webhooks'])).map((one) => {
    const { ID, MerchID, IsEnabled } = Object(one)
    return { ID, MerchID, IsEnabled }
  })

const numberTold = async (till: Till) => (await call(till, 'Event/Query', {})).members['NumRecords']

// A sale of each record, and something that belongs to none.
async function happenAll({ needs, account, ...rest }: Till): Promise<void> {
  await sell({ needs, account, ...rest }, 10, { record: 1 })
  await sell({ needs, account, ...rest }, 20, { record: 2 })
  const { accountId } = account
  const at = needs.accountClock.now(accountId)
  await needs.db.inTransaction((tx) => appendEvents(tx, [eventOf(accountId, 1)], at))
}

const heard = ({ received }: Receiver) =>
  received.map(({ body }) => {
    const { type, data } = JSON.parse(body)
    return `${type} ${data.merchant ?? 'of none'}`
  })

test('a webhook of a token for one merchant record is told of that record alone', async (t) => {
  const { all, second } = await openTills()
  const [ofAll, ofSecond] = [await openReceiver(t), await openReceiver(t)]
  await add(all, ofAll.url)
  await add(second, ofSecond.url)
  await happenAll(all)
  await dispatch(all.needs)
  assert.deepEqual(heard(ofSecond), ['payment.approved 2'])
  assert.deepEqual(heard(ofAll).toSorted(), [
    'payment.approved 1',
    'payment.approved 2',
    'token.expiring of none',
  ])
})

test('what is sent to it again is of that record alone', async (t) => {
  const { all, second } = await openTills()
  const receiver = await openReceiver(t)
  const webhook = await add(second, receiver.url)
  await happenAll(all)
  await dispatch(all.needs)
  const now = all.needs.clock.now()
  const { accountId } = all.account
  const range = { accountId, endpointId: endpointId(BigInt(webhook)), from: now, until: now }
  assert.deepEqual(await replayRange(all.needs, range), { ok: true, value: 1 })
  await dispatch(all.needs)
  assert.deepEqual(heard(receiver), ['payment.approved 2', 'payment.approved 2'])
})

test('what an earlier version had for it of other records is not sent again', async (t) => {
  const { all, second } = await openTills()
  const receiver = await openReceiver(t)
  const webhook = await add(all, receiver.url)
  await happenAll(all)
  await dispatch(all.needs)
  await all.needs.db.run(bindStatement, [BigInt(webhook), second.caller.merchantNumber])
  const { needs, account } = all
  for (const { messageId } of await deliveriesOf({ needs, accountId: account.accountId }))
    await replayMessage(needs, account.accountId, messageId)
  await dispatch(needs)
  assert.equal(receiver.received.length, 4)
  assert.equal(heard(receiver)[3], 'payment.approved 2')
})

test('a token for one merchant record lists the webhooks of that record, one for all lists all', async () => {
  const { all, first, second } = await openTills()
  const [ofAll, ofFirst, ofSecond] = [await add(all), await add(first), await add(second)]
  const IsEnabled = true
  assert.deepEqual(await listed(first), [{ ID: ofFirst, MerchID: 1, IsEnabled }])
  assert.deepEqual(await listed(second), [{ ID: ofSecond, MerchID: 2, IsEnabled }])
  assert.deepEqual(await listed(all), [
    { ID: ofAll, MerchID: 0, IsEnabled },
    { ID: ofFirst, MerchID: 1, IsEnabled },
    { ID: ofSecond, MerchID: 2, IsEnabled },
  ])
})

test('it disables those of that record, and others answer like one that does not exist', async () => {
  const { all, first, second } = await openTills()
  const [ofAll, ofFirst, ofSecond] = [await add(all), await add(first), await add(second)]
  const missing = await call(second, 'Webhook/Disable', { WebhookID: 987_654_321 })
  assert.equal(missing.code, 6901)
  for (const WebhookID of [ofAll, ofFirst])
    assert.deepEqual(await call(second, 'Webhook/Disable', { WebhookID }), missing)
  assert.equal((await call(second, 'Webhook/Disable', { WebhookID: ofSecond })).code, 0)
  assert.deepEqual(
    (await listed(all)).map(({ IsEnabled }) => IsEnabled),
    [true, true, false],
  )
  assert.equal((await call(all, 'Webhook/Disable', { WebhookID: ofFirst })).code, 0)
})

test('it hears of it when a webhook of that record is disabled, and of no other', async () => {
  const { all, first, second } = await openTills()
  const [ofFirst, ofAll] = [await add(first), await add(all)]
  for (const WebhookID of [ofFirst, ofAll]) await call(all, 'Webhook/Disable', { WebhookID })
  assert.deepEqual([await numberTold(all), await numberTold(first), await numberTold(second)], [2, 1, 0])
})

test('an address is taken once for each record and once for all of them', async () => {
  const { all, first, second } = await openTills()
  for (const till of [all, first, second]) {
    await add(till)
    assert.equal((await call(till, 'Webhook/Add', { URL })).code, 6903)
  }
})

test('each record has twenty of its own, whatever the others have', async () => {
  const { all, first, second } = await openTills()
  for (let count = 0; count < 20; count++) await add(first, `${URL}/${count}`)
  const refused = await call(first, 'Webhook/Add', { URL })
  assert.deepEqual([refused.code, refused.text], [6904, 'A merchant record has at most 20 active webhooks'])
  await add(second)
  await add(all)
})

// Two users, of which the second works for record 3, and what they and an operator have added.
const seed = `
  set session_replication_role = replica;
  insert into api_user (api_user_id, account_id, alias, merchant_number, created_by, created_at)
  overriding system value values (1, 7, 'all', null, 'tester', now()), (2, 7, 'one', 3, 'tester', now());
  insert into merchant (account_id, merchant_number, name, location, address, terminal_id, time_zone,
    currency, created_at, changed_at) values (7, 3, 'Third', '', '', '', 'UTC', 'USD', now(), now());
  insert into webhook_endpoint (account_id, url, event_types, description, state, created_by, created_at,
    changed_at)
  select i.account, 'https://shop.example/' || i.id, '[]', '', i.state, i.by, now(), now()
  from (values (1, 7, 'active', '1'), (2, 7, 'active', '2'), (3, 7, 'disabled', '2'),
    (4, 7, 'active', 'root'), (5, 8, 'active', '2')) as i (id, account, state, by) order by i.id;
  insert into event (event_id, account_id, type, object_id, body, created_at) overriding system value values
    (1, 7, 'payment.approved', 1, '{"merchant": "3"}', now()),
    (2, 7, 'payment.approved', 2, '{"merchant": "1"}', now()),
    (3, 7, 'token.expiring', 1, '{}', now());
  insert into webhook_delivery (account_id, lane, endpoint_id, event_id, message_id, method, url, body, state,
    next_try_at, created_at)
  select 7, 'endpoint:' || i.endpoint, i.endpoint, i.event, 'evt_' || i.event, 'POST', '', '', i.state,
    now(), now()
  from (values (1, 2, 'waiting'), (2, 1, 'waiting'), (2, 2, 'waiting'), (2, 3, 'waiting'),
    (3, 2, 'delivered')) as i (endpoint, event, state) order by i.endpoint, i.event`

test('webhooks of before the upgrade belong to the record of whoever added them', async () => {
  const name = `test_${randomBytes(6).toString('hex')}`
  await makeEarlierDatabase(name, '0036')
  await withClient(name, (client) => client.query(seed))
  await migrate(testConnection(name))
  const column = (sql: string) =>
    withClient(name, (client) => client.query({ text: sql, rowMode: 'array' })).then(({ rows }) =>
      rows.flat(),
    )
  const records = await column(`select merchant_number from webhook_endpoint order by endpoint_id`)
  assert.deepEqual(records, [null, 3, 3, null, null])
  const states = await column(`select state from webhook_delivery order by delivery_id`)
  assert.deepEqual(states, ['waiting', 'waiting', 'dead', 'dead', 'delivered'])
})
