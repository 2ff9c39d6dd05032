import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type GatewayProcess, openHome, until } from '../support/gateway-process.ts'
import { administer, testConnection } from '../support/test-cluster.ts'

// Two gateways on one database, one of them with a clock that is two hours ahead.

const home = openHome({ after })
const database = `test_${randomBytes(6).toString('hex')}`
const clockFile = join(home.folder, 'ahead-ms')
const movedClock = join(import.meta.dirname, '..', 'support', 'moved-clock.ts')

let right: GatewayProcess
let wrong: GatewayProcess

before(async () => {
  await administer(`create database ${database}`)
  const host = encodeURIComponent(testConnection(database).host ?? '')
  const shared = {
    DATABASE_URL: `postgresql://tillgate@/${database}?host=${host}`,
    KEYS_DIR: join(home.folder, 'keys'),
    TILLGATE_PATIENCE_PERCENT: '5',
  }
  right = await home.start({ ...shared, DATA_DIR: join(home.folder, 'right') })
  writeFileSync(clockFile, String(2 * 3_600_000))
  wrong = await home.start({
    ...shared,
    DATA_DIR: join(home.folder, 'wrong'),
    NODE_OPTIONS: `--import=${movedClock}`,
    MOVED_CLOCK_FILE: clockFile,
  })
})

after(() => administer(`drop database if exists ${database} with (force)`))

async function charge(node: GatewayProcess, amount: number) {
  const body = {
    ccCardInfo: { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2098, CSV: '123' },
    AcctHolder: { Firstname: 'Leak', Lastname: 'Leak Probe' },
    Amounts: { BaseAmt: amount },
    MerchID: 1,
  }
  const { status, result } = await node.call('CardSale/Manual', body, await node.signIn())
  return { status, code: result.ErrCode }
}

async function gauge(node: GatewayProcess, name: string): Promise<number> {
  const { text } = await node.get('/metrics')
  const line = text.split('\n').find((one) => one.startsWith(`${name} `))
  return Number(line?.slice(name.length))
}

test('a node whose clock is two hours ahead begins nothing and reports it', async () => {
  assert.deepEqual(await charge(wrong, 10), { status: 503, code: 9001 })
  const { status, text } = await wrong.get('/ready')
  assert.equal(status, 503)
  assert.match(text, /^\{"ready":false,"database":"ok","clock":"7[12]\d{5} ms ahead of the database's"\}$/)
  assert.equal(await gauge(wrong, 'tillgate_sending_held{kind="clock"}'), 1)
  assert.equal(Math.round((await gauge(wrong, 'tillgate_clock_ahead_seconds{of="database"}')) / 60), 120)
  assert.match(wrong.logged(), /The clock of this node is wrong: nothing is begun or recovered/)
  assert.equal((await wrong.query(await wrong.signIn())).FunctionOk, true, 'queries are answered')
})

test('no payment of the other node stays unknown beside it', async () => {
  assert.deepEqual(await charge(right, 10), { status: 200, code: 0 })
  // Approved by the bank, and its answer is lost.
  assert.deepEqual(await charge(right, 9900.68), { status: 200, code: 0 })
  const areResolved = async () =>
    (await gauge(right, 'tillgate_open_attempts{state="unknown"}')) === 0 &&
    (await gauge(right, 'tillgate_open_attempts{state="reversing"}')) === 0
  await until(areResolved, { what: 'every outcome is known' })
})

test('it goes on by itself when its clock is right', async () => {
  writeFileSync(clockFile, '0')
  await until(async () => (await wrong.get('/ready')).status === 200, { what: 'the node is ready' })
  assert.deepEqual(await charge(wrong, 10), { status: 200, code: 0 })
  await until(() => /The clock of this node is right again/.test(wrong.logged()), { what: 'it is logged' })
})
