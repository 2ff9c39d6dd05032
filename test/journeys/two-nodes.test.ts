import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { printUsMoment } from '#kernel/calendar.ts'
import { openKeyRing } from '#platform/crypto/key-ring.ts'
import {
  type Credentials,
  type GatewayProcess,
  openHome,
  readSandboxFile,
  until,
} from '../support/gateway-process.ts'
import { assertRefused } from '../support/refused-start.ts'
import { administer, testConnection } from '../support/test-cluster.ts'

// Two gateways, each with a data folder of its own, on one database and one key ring.

const home = openHome({ after })
const database = `test_${randomBytes(6).toString('hex')}`
const keysFolder = join(home.folder, 'keys')
const noticedMsMax = 1_000

function shared() {
  const host = encodeURIComponent(testConnection(database).host ?? '')
  return { DATABASE_URL: `postgresql://tillgate@/${database}?host=${host}`, KEYS_DIR: keysFolder }
}
const nodeEnvironment = (name: string) => ({ ...shared(), DATA_DIR: join(home.folder, name) })

let left: GatewayProcess
let right: GatewayProcess

// Both at once, on a database without tables and a folder without keys.
before(async () => {
  await administer(`create database ${database}`)
  ;[left, right] = await Promise.all([
    home.start(nodeEnvironment('left')),
    home.start(nodeEnvironment('right')),
  ])
})

after(() => administer(`drop database if exists ${database} with (force)`))

async function command(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await home.runCli(args, shared())
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  return stdout
}

// Asks both nodes, so that both remember the session: only a notification can make them forget it so soon.
async function signInAtBoth(credentials?: Credentials): Promise<string> {
  const sessionKey = await left.signIn(credentials)
  for (const node of [left, right]) assert.equal((await node.query(sessionKey)).FunctionOk, true)
  return sessionKey
}

async function assertEndedAtBoth(sessionKey: string): Promise<void> {
  const isEnded = async (): Promise<boolean> => {
    const results = await Promise.all([left.query(sessionKey), right.query(sessionKey)])
    return results.every(({ FunctionOk, ErrCode }) => !FunctionOk && ErrCode === 5030)
  }
  await until(isEnded, { what: 'the session has ended at both nodes', withinMs: noticedMsMax })
}

test('nodes that start at once on an empty database agree on keys, token and seed', async () => {
  assert.equal(left.token, right.token)
  assert.deepEqual(
    [readSandboxFile(left.dataFolder).token, readSandboxFile(right.dataFolder).token],
    [left.token, left.token],
  )
  const { integratorKey } = readSandboxFile(left.dataFolder)
  assert.deepEqual(readSandboxFile(right.dataFolder).integratorKey, integratorKey)
  assert.notEqual(left.baseUrl, right.baseUrl)
  assert.equal(statSync(join(keysFolder, 'key-ring.json')).mode & 0o077, 0, 'keys are for their owner only')
  assert.equal(JSON.parse(await command('account', 'list', '--json')).length, 1)
  const merchants = JSON.parse(await command('merchant', 'list', '--account', left.acctCode, '--json'))
  assert.equal(merchants.length, 3)
  const tokens = JSON.parse(await command('token', 'list', '--account', left.acctCode, '--json'))
  assert.equal(tokens.length, 1)
})

test('a session made at one node works at the other', async () => {
  assert.equal((await right.query(await left.signIn())).FunctionOk, true)
  assert.equal((await left.query(await right.signIn())).FunctionOk, true)
})

test('a session that is ended at one node is over at the other within a second', async () => {
  const sessionKey = await signInAtBoth()
  const other = await signInAtBoth()
  const { result } = await left.call('Session/End', {}, sessionKey)
  assert.equal(result.FunctionOk, true)
  await assertEndedAtBoth(sessionKey)
  for (const node of [left, right]) assert.equal((await node.query(other)).FunctionOk, true)
})

test('a fee rule that a command changes counts at both nodes within a second', async () => {
  const sessionKey = await signInAtBoth()
  const { consents } = readSandboxFile(left.dataFolder)
  const feesAt = async (node: GatewayProcess): Promise<string> => {
    const asked = { ConsentID: consents['surcharge'], Amount: 100 }
    return (await node.call('ConsentAnnual/CalcFees', asked, sessionKey)).text
  }
  for (const node of [left, right]) assert.match(await feesAt(node), /"Surcharge":3[,}]/)
  await command('merchant', 'set', '2', '--account', left.acctCode, '--fee-percent', '2')
  const isHeard = async (): Promise<boolean> => {
    const told = await Promise.all([feesAt(left), feesAt(right)])
    return told.every((text) => /"Surcharge":2[,}]/.test(text))
  }
  await until(isHeard, { what: 'both nodes know the new fee', withinMs: noticedMsMax })
  await command('merchant', 'set', '2', '--account', left.acctCode, '--fee-percent', '3')
})

test('a time zone that a command changes counts for sessions at both nodes within a second', async (t) => {
  const sessionKey = await signInAtBoth()
  const { consents } = readSandboxFile(left.dataFolder)
  const Amounts = { BaseAmt: 10, Surcharge: 0, TotalAmt: 10 }
  const purchDetails = { ClientRefID: 'before-the-move' }
  const charge = { ConsentID: consents['visa'], Amounts, purchDetails }
  const { result } = await left.call('ConsentAnnual/ChargeStoredCard', charge, sessionKey)
  assert.equal(result.FunctionOk, true)
  // By the clock of New York; by that of Kiritimati the same words mean a time before this test.
  const inThreeHours = Temporal.Now.plainDateTimeISO('America/New_York').add({ hours: 3 })
  const words = printUsMoment(inThreeHours.toZonedDateTime('UTC').toInstant())
  const Query = `(M='before-the-move')&&(C<'${words}')`
  const foundAt = async (node: GatewayProcess): Promise<number> =>
    (await node.call('Query/Transaction', { Query }, sessionKey)).result.NumRecords ?? -1
  for (const node of [left, right]) assert.equal(await foundAt(node), 1)
  const moveTo = (zone: string) => command('merchant', 'set', '1', '--account', left.acctCode, '--zone', zone)
  t.after(() => moveTo('America/New_York'))
  await moveTo('Pacific/Kiritimati')
  const isHeard = async (): Promise<boolean> =>
    (await Promise.all([foundAt(left), foundAt(right)])).every((count) => count === 0)
  await until(isHeard, { what: 'both nodes know the new zone', withinMs: noticedMsMax })
})

test('locking an account ends its sessions on both nodes within a second', async () => {
  const sessionKey = await signInAtBoth()
  await command('account', 'lock', left.acctCode)
  await assertEndedAtBoth(sessionKey)
  for (const node of [left, right]) assert.equal((await node.authenticate()).result.ErrCode, 5020)
  await command('account', 'unlock', left.acctCode)
  assert.equal((await right.query(sessionKey)).ErrCode, 5030, 'an ended session stays ended')
  await signInAtBoth()
})

test('revoking a token ends its sessions on both nodes within a second, and no others', async () => {
  const others = await signInAtBoth()
  const issue = ['token', 'issue', '--account', left.acctCode, '--alias', 'till', '--json']
  const [{ id, token }] = JSON.parse(await command(...issue))
  const credentials = { acctCode: left.acctCode, token }
  const sessionKey = await signInAtBoth(credentials)
  await command('token', 'revoke', String(id))
  await assertEndedAtBoth(sessionKey)
  for (const node of [left, right]) {
    assert.equal((await node.authenticate(credentials)).result.ErrCode, 5001)
    assert.equal((await node.query(others)).FunctionOk, true)
  }
})

test('a node with other keys does not start and says which folder to share', async () => {
  const stranger = { ...nodeEnvironment('third'), PORT: '0', KEYS_DIR: join(home.folder, 'other-keys') }
  await openKeyRing(stranger.KEYS_DIR, 'sandbox')
  const message = /^The key ring in .*other-keys is not the one .* Set KEYS_DIR to the folder that all nodes/
  assertRefused(await home.runCli(['start'], stranger), message)
  assertRefused(await home.runCli(['account', 'list'], stranger), message)
})

test('a node without keys does not start, makes none, and says which folder to share', async () => {
  const poor = { ...nodeEnvironment('third'), PORT: '0', KEYS_DIR: join(home.folder, 'no-keys') }
  const message =
    /^\S+no-keys\/key-ring\.json is missing\. Restore it .* or set KEYS_DIR to the folder that all nodes/
  for (const words of [['start'], ['start', '--workers', '2'], ['migrate'], ['account', 'list']])
    assertRefused(await home.runCli(words, poor), message)
  assert.equal(existsSync(poor.KEYS_DIR), false)
})

test('a live node does not start on the database of a sandbox, nor with its keys', async () => {
  const live = { ...nodeEnvironment('fourth'), PORT: '0', TILLGATE_MODE: 'live' }
  for (const words of [['start'], ['start', '--workers', '2']])
    assertRefused(await home.runCli(words, live), /^Live mode needs a connector to a real acquirer/)
  assertRefused(
    await home.runCli(['account', 'list'], live),
    /^The key ring in .* was made for sandbox mode and is never used in live mode\./,
  )
  const liveKeys = { ...live, KEYS_DIR: join(home.folder, 'live-keys') }
  assertRefused(
    await home.runCli(['account', 'list'], liveKeys),
    /^This database belongs to a sandbox installation and is never used in live mode\./,
  )
})

test('when one node is killed, the other serves its sessions', async () => {
  const sessionKey = await left.signIn()
  await left.kill('SIGKILL')
  assert.equal((await right.query(sessionKey)).FunctionOk, true)
  left = await home.start(nodeEnvironment('left'))
  assert.equal((await left.query(sessionKey)).FunctionOk, true)
})

test('nodes stop one after the other and leave the database alone', async () => {
  for (const node of [left, right]) assert.equal((await node.stop()).code, 0)
  assert.equal(JSON.parse(await command('account', 'list', '--json')).length, 1)
})
