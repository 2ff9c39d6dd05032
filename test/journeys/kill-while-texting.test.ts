import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import pg from 'pg'
import { openHome, until } from '../support/gateway-process.ts'
import { openShortMessageCentre } from '../support/short-message-centre.ts'
import { administer, testConnection } from '../support/test-cluster.ts'

// The centre is slow to confirm a text, and the gateway is killed with -9 meanwhile. Nobody can know whether
// that text is on the phone: it must not ring twice, and an operator has to hear of it.

const slow = '+12125550131'
const patient = ['+12125550132', '+12125550133']

test('a text in hand when the gateway is killed is not sent again, the others are', async (t) => {
  const centre = await openShortMessageCentre(t, ({ to }) => (to === slow ? 'silence' : 0))
  const home = openHome(t)
  const database = `test_${randomBytes(6).toString('hex')}`
  await administer(`create database ${database}`)
  const { host = '' } = testConnection(database)
  const env = {
    DATABASE_URL: `postgresql://tillgate@/${database}?host=${encodeURIComponent(host)}`,
    TILLGATE_TEXT_SENDER: 'smpp',
    TILLGATE_TEXT_FROM: '+12125550100',
    TILLGATE_SMPP_URL: centre.url.reveal(),
    TILLGATE_LOG_LEVEL: 'error',
  }
  const first = await home.start(env)
  const key = await first.signIn()
  const order = (Phone: string) =>
    first.call(
      'Other/SMSPay',
      { Msg: { MessageType: 'TEXT', Person: { Phone }, MerchID: 1, Amount: 125 } },
      key,
    )
  await order(slow)
  await until(() => centre.parts.length === 1, { what: 'the centre has the first text' })
  for (const phone of patient) await order(phone)
  await first.kill('SIGKILL')
  await passMinutes(database)
  const second = await home.start(env)
  await until(() => centre.parts.length === 3, { what: 'the centre has the other texts' })
  assert.deepEqual(
    centre.parts.map(({ to }) => to),
    [slow, ...patient],
  )
  const listed = await home.runCli(['message', 'list', '--state', 'unknown', '--json'], env)
  const unknown: readonly { readonly to: string; readonly problem: string }[] = JSON.parse(listed.stdout)
  assert.deepEqual(
    unknown.map(({ to }) => to),
    [slow],
  )
  assert.match((await home.runCli(['doctor'], env)).stdout, /1 unknown/)
  assert.equal((await second.stop()).code, 0)
})

// What the dead gateway had in hand is its own for some minutes yet, which need not pass in the test.
async function passMinutes(database: string): Promise<void> {
  const client = new pg.Client(testConnection(database))
  await client.connect()
  try {
    await client.query(`update message set claimed_until = claimed_until - interval '10 minutes'`)
    await client.query(`update task set lease_until = lease_until - interval '10 minutes'`)
  } finally {
    await client.end()
  }
}
