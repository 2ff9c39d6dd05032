import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import pg from 'pg'
import { Webhook } from 'standardwebhooks'
import { openHome } from '../support/gateway-process.ts'
import { administer, testConnection } from '../support/test-cluster.ts'
import { openReceiver, type Received } from '../support/webhook-receiver.ts'

// A merchant's system beside a real gateway that is killed. Each test goes on where the one before it ended.

type Row = Readonly<Record<string, string | number>>

const home = openHome({ after })
const receiver = await openReceiver({ after })
const account = ['--account', 'TG0000001']
const database = `test_${randomBytes(6).toString('hex')}`
await administer(`create database ${database}`)
const { host = '' } = testConnection(database)
const settings = {
  DATABASE_URL: `postgresql://tillgate@/${database}?host=${encodeURIComponent(host)}`,
  // What a killed gateway held stays held for so long.
  TILLGATE_LEASE_SECONDS: '3',
}
const soon = { timeout: 120_000, interval: 50 }
let gateway = await home.start(settings)
let secret = ''

async function list(...args: readonly string[]): Promise<{ rows: readonly Row[]; aside: string }> {
  const env = { ...settings, PORT: '0' }
  const { stdout, stderr, code } = await home.runCli([...args, ...account, '--json'], env)
  assert.equal(code, 0, stderr)
  return { rows: JSON.parse(stdout), aside: stderr }
}

async function rowsOf(...args: readonly string[]): Promise<readonly Row[]> {
  const { rows, aside } = await list(...args)
  assert.equal(aside, '')
  return rows
}

async function charge(amount: number): Promise<void> {
  const sessionKey = await gateway.signIn()
  const { result } = await gateway.call(
    'CardSale/Manual',
    {
      ccCardInfo: { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2098 },
      Amounts: { BaseAmt: amount },
      MerchID: 1,
    },
    sessionKey,
  )
  assert.equal(result.ErrMsg, '')
}

function verified({ body, headers }: Received) {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)])
  return Object(new Webhook(secret).verify(body, Object.fromEntries(texts)))
}

const identityOf = ({ headers, body }: Received): string => `${String(headers['webhook-id'])} ${body}`

test('a payment is told within seconds, signed with the secret that was shown', async (t) => {
  const [added] = await rowsOf('webhook', 'add', receiver.url, '--events', 'payment.approved')
  secret = String(added?.['secret'])
  await charge(10.1)
  await t.waitFor(() => assert.equal(receiver.received.length, 1), soon)
  const [one] = receiver.received
  assert(one)
  const told = verified(one)
  assert.deepEqual([told.type, told.data.amount, told.sandbox], ['payment.approved', '10.10', true])
})

test('what a killed gateway could not tell is told after its restart, with the same bytes', async (t) => {
  receiver.answer(500)
  await charge(20.2)
  await t.waitFor(async () => {
    const [newest] = (await list('webhook', 'log', '--last', '1')).rows
    assert.equal(newest?.['status'], 500)
  }, soon)
  await gateway.kill('SIGKILL')
  receiver.answer(200)
  await letTheNextTryBeDue()
  const before = receiver.received.length
  gateway = await home.start(settings)
  await t.waitFor(() => assert(receiver.received.length > before), soon)
  const again = receiver.received.filter(({ body }) => body.includes('"20.20"'))
  assert(again.length >= 2)
  assert.equal(new Set(again.map(identityOf)).size, 1)
})

// How long that takes depends on how often it was tried by then, and a try that was under way stays held.
async function letTheNextTryBeDue(): Promise<void> {
  const client = new pg.Client(testConnection(database))
  await client.connect()
  try {
    await client.query(`update webhook_delivery set next_try_at = now(), claimed_until = null`)
    await client.query(`update webhook_lane set paused_until = null`)
  } finally {
    await client.end()
  }
}

test('the log shows the exact bytes, and what was sent can be sent again', async (t) => {
  await t.waitFor(async () => {
    const rows = await rowsOf('webhook', 'log')
    assert(rows.length === 2 && rows.every(({ state }) => state === 'delivered'))
  }, soon)
  const { rows, aside } = await list('webhook', 'log', '--last', '1')
  assert.equal(aside, 'These are the newest 1; there are more, which --last NUMBER shows.\n')
  const [newest] = rows
  assert(newest)
  const [shown] = await rowsOf('webhook', 'show', String(newest['delivery']))
  const sent = receiver.received.findLast(({ body }) => body === shown?.['body'])
  assert(sent)
  assert(String(shown?.['request']).includes(`webhook-id: ${String(sent.headers['webhook-id'])}`))
  const before = receiver.received.length
  assert.deepEqual(await rowsOf('webhook', 'replay', String(newest['message'])), [{ replayed: 1 }])
  await t.waitFor(() => assert.equal(receiver.received.length, before + 1), soon)
  const last = receiver.received.at(-1)
  assert(last)
  assert.equal(identityOf(last), identityOf(sent))
})

test('a new secret and the old one both verify, and a disabled webhook hears nothing more', async (t) => {
  const [webhook] = await rowsOf('webhook', 'list')
  assert.deepEqual([webhook?.['state'], webhook?.['undelivered']], ['active', 0])
  const id = String(webhook?.['id'])
  const [rotated] = await rowsOf('webhook', 'rotate', id)
  const before = receiver.received.length
  await charge(30.3)
  await t.waitFor(() => assert.equal(receiver.received.length, before + 1), soon)
  const last = receiver.received.at(-1)
  assert(last)
  verified(last)
  secret = String(rotated?.['secret'])
  verified(last)
  await rowsOf('webhook', 'disable', id)
  const [listed] = await rowsOf('webhook', 'list')
  assert.equal(listed?.['state'], 'disabled: On request')
})

test('a range that somebody missed is told to a new address', async (t) => {
  const [added] = await rowsOf('webhook', 'add', `${receiver.url}/again`)
  const id = String(added?.['id'])
  const before = receiver.received.length
  const range = ['--webhook', id, '--from', '2000-01-01', '--to', '2100-01-01']
  const [done] = await rowsOf('webhook', 'replay', 'range', ...range)
  const count = Number(done?.['replayed'])
  assert(count >= 3)
  await t.waitFor(() => assert(receiver.received.length >= before + count), soon)
  const told = new Set(receiver.received.slice(before).map(({ body }) => body))
  for (const amount of ['10.10', '20.20', '30.30'])
    assert(
      [...told].some((body) => body.includes(`"${amount}"`)),
      amount,
    )
})
