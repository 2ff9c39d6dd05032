import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { hasCode } from '#platform/error-code.ts'
import { readPostmasterFile } from '#platform/postgres/postmaster.ts'
import { type GatewayProcess, isRunning, openHome, until } from '../support/gateway-process.ts'
import { assertRefused } from '../support/refused-start.ts'

// One home for all starts, so that only the first pays for setting PostgreSQL up.
const home = openHome({ after })
// PostgreSQL's last checkpoint is part of it, and a busy machine makes it longer.
const idleStopMsMax = 15_000

async function assertStopped(gateway: GatewayProcess, signal: NodeJS.Signals): Promise<void> {
  const postgresId = gateway.postgresId()
  assert.ok(isRunning(postgresId))
  const { ms, ...ending } = await gateway.stop(signal)
  assert.deepEqual(ending, { code: 0, signal: null })
  assert.ok(ms < idleStopMsMax, `stopped after ${ms} ms`)
  assert.ok(!isRunning(postgresId), 'PostgreSQL was stopped too')
  assert.ok(!existsSync(join(gateway.dataFolder, 'tillgate.pid')), 'the data folder is free again')
  await assert.rejects(gateway.get('/ready'), { code: 'ECONNREFUSED' })
}

async function connectTo(t: TestContext, { baseUrl }: GatewayProcess): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  t.after(() => socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  test(`${signal} stops an idle gateway and its PostgreSQL`, async () => {
    const gateway = await home.start()
    assert.equal((await gateway.get('/ready')).status, 200)
    await assertStopped(gateway, signal)
  })
}

test('SIGUSR1 opens no debugger', async () => {
  const gateway = await home.start()
  process.kill(gateway.processId, 'SIGUSR1')
  assert.equal((await gateway.get('/ready')).status, 200)
  await assertStopped(gateway, 'SIGTERM')
  assert.doesNotMatch(gateway.output(), /debugger/i)
})

test('a new installation is told with its folder, so that a mistyped one is noticed', async (t) => {
  const fresh = openHome(t)
  const told = `A new installation was made in ${fresh.dataFolder}\n`
  const first = await fresh.start()
  assert.ok(first.output().includes(told))
  assert.doesNotMatch(
    first.logged(),
    /"level":[4-6]0[^\n]*(?:installation|database for)|\d{4}_\w+\.sql/,
    'no warning, and no migration by name',
  )
  assert.equal((await first.stop()).code, 0)
  const second = await fresh.start()
  assert.ok(!second.output().includes('new installation') && !second.output().includes('NEW installation'))
  assert.equal((await second.stop()).code, 0)
  const DATA_DIR = join(fresh.folder, 'dta')
  const { code, stderr } = await fresh.runCli(['account', 'create', '--description', 'Shop'], { DATA_DIR })
  assert.equal(code, 0)
  assert.match(stderr, /"level":40.*Made a NEW installation.*check DATA_DIR/)
  assert.ok(stderr.includes(`"dataFolder":"${DATA_DIR}"`))
})

test('a command that looks for something in a mistyped folder makes nothing there', async (t) => {
  const fresh = openHome(t)
  const DATA_DIR = join(fresh.folder, 'dta')
  for (const words of [
    ['account', 'list'],
    ['bank', 'log'],
  ])
    assertRefused(await fresh.runCli(words, { DATA_DIR }), /There is no installation in .*dta\. Set DATA_DIR/)
  const doctor = await fresh.runCli(['doctor'], { DATA_DIR })
  assert.equal(doctor.code, 1)
  assert.match(doctor.stdout, /database +WRONG +There is no installation in/)
  assert.ok(!existsSync(DATA_DIR))
})

test('impatient repeats of Ctrl-C and SIGTERM do not spoil the stop', async () => {
  const gateway = await home.start()
  const stopped = assertStopped(gateway, 'SIGINT')
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) process.kill(gateway.processId, signal)
  await stopped
})

test('connections that are kept open without a call do not hold up the stop', async (t) => {
  const gateway = await home.start()
  const usedBefore = await fetch(`${gateway.baseUrl}/live`)
  await usedBefore.text()
  const neverUsed = await connectTo(t, gateway)
  const isClosed = once(neverUsed, 'close')
  await assertStopped(gateway, 'SIGTERM')
  await isClosed
})

test('a call in flight is answered before the gateway stops, while no new one is let in', async (t) => {
  const gateway = await home.start()
  const socket = await connectTo(t, gateway)
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk))
  const body = JSON.stringify({ AcctCode: gateway.acctCode, Token: gateway.token })
  const head = [
    'POST /APIcardProcREST/v1.0.0/Authenticate HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Expect: 100-continue',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  await until(() => received.includes('100 Continue'), { what: 'the call has begun' })
  const stopped = gateway.stop()
  await until(() => refusesConnections(gateway), { what: 'new connections are refused' })
  socket.write(body)
  await until(() => received.includes('"FunctionOk":true'), { what: 'the call is answered' })
  assert.match(received, /HTTP\/1\.1 200 OK[^]*"SessKey":"[0-9a-f]{64}"/)
  const hasEnded = () => !isRunning(gateway.processId)
  await until(hasEnded, { what: 'nothing is left to wait for', withinMs: idleStopMsMax })
  assert.equal((await stopped).code, 0)
})

async function refusesConnections(gateway: GatewayProcess): Promise<boolean> {
  try {
    await gateway.get('/ready')
    return false
  } catch (error) {
    return hasCode(error, 'ECONNREFUSED')
  }
}

test('a gateway whose PostgreSQL was killed can still be stopped', async () => {
  const gateway = await home.start()
  const postgresId = gateway.postgresId()
  process.kill(postgresId, 'SIGKILL')
  await until(() => !isRunning(postgresId), { what: 'PostgreSQL is dead' })
  const { code, ms } = await gateway.stop()
  assert.equal(code, 0)
  assert.ok(ms < idleStopMsMax, `stopped after ${ms} ms`)
})

for (const path of [
  ['postgres', 'cluster', 'postmaster.pid'],
  ['keys', 'key-ring.json'],
]) {
  test(`a stop during the start, once ${path.at(-1)} is there, leaves no PostgreSQL behind`, async (t) => {
    const fresh = openHome(t)
    const starting = fresh.launch()
    await until(() => existsSync(join(fresh.dataFolder, ...path)), { what: `${path.at(-1)} is there` })
    process.kill(starting.processId, 'SIGTERM')
    await starting.ended
    const found = readPostmasterFile(join(fresh.dataFolder, 'postgres', 'cluster'))
    assert.ok(!found || !isRunning(found.processId), 'PostgreSQL is still running')
  })
}

test('starts that cannot be are refused in words', async (t) => {
  const gateway = await home.start()
  const { port } = new URL(gateway.baseUrl)
  await t.test('a second one on the same data folder, naming the process that has it', async () => {
    const refused = await home.runCli(['start'], { PORT: '0' })
    assertRefused(refused, new RegExp(`^Process ${gateway.processId} is already using ${home.dataFolder}\\.`))
    assert.equal((await gateway.get('/ready')).status, 200, 'the first one is not disturbed')
  })
  await t.test('one on a port that is taken', async () => {
    const DATA_DIR = join(home.folder, 'other')
    const refused = await home.runCli(['start'], { PORT: port, DATA_DIR })
    assertRefused(refused, new RegExp(`^Port ${port} is taken by another program\\. Set PORT .*\\n$`))
    assert.ok(!existsSync(DATA_DIR), 'it is found before anything is made')
  })
  await t.test('one with a setting that does not exist, naming it and the likely one', async () => {
    const refused = await home.runCli(['start'], { TILLGATE_LOG_LEVLE: 'info', TILLGATE_X: '1' })
    const named = /^TILLGATE_LOG_LEVLE is no setting .*TILLGATE_LOG_LEVEL.*\nTILLGATE_X is no setting/
    assertRefused(refused, named)
  })
  await t.test('one with a setting that makes no sense, saying what would', async () => {
    const refused = await home.runCli(['start'], { PORT: 'eighty', TILLGATE_MODE: 'demo' })
    assertRefused(refused, /TILLGATE_MODE is "demo"; it must be sandbox or live\nPORT is "eighty"/)
  })
  assert.equal((await gateway.stop()).code, 0)
})

const unreachable = [
  ['a database server that is not there', 'postgresql://tillgate@127.0.0.1:1/none'],
  ['a database that does not exist', null],
  ['an address that is none', 'postgresql://['],
] as const

test('a DATABASE_URL that leads nowhere is refused in words', async (t) => {
  const host = process.env['TEST_POSTGRES_SOCKET'] ?? ''
  const missing = `postgresql://tillgate@/no_such_database?host=${encodeURIComponent(host)}`
  for (const [what, address] of unreachable) {
    await t.test(what, async () => {
      const DATABASE_URL = address ?? missing
      const refused = await home.runCli(['start'], { PORT: '0', DATABASE_URL })
      assertRefused(refused, /DATABASE_URL/)
    })
  }
})

test('folders that cannot be made are refused in words, and nobody waits for them', async (t) => {
  const fresh = openHome(t)
  const nowhere = '/proc/tillgate'
  assertRefused(await fresh.runCli(['start'], { PORT: '0', DATA_DIR: nowhere }), /^DATA_DIR lies where no/)
  const file = { PORT: '0', DATA_DIR: '/etc/hostname' }
  assertRefused(await fresh.runCli(['start'], file), /^DATA_DIR is a file\. Set it to a folder\.$/m)
  const keys = await fresh.runCli(['start'], { PORT: '0', KEYS_DIR: nowhere })
  assertRefused(keys, /^\/proc\/tillgate cannot be made \(ENOENT\)\. Set KEYS_DIR to another folder\.$/m)
})

test('a bank that is not there is told at a first start, and the next one goes on', async (t) => {
  const fresh = openHome(t)
  const TILLGATE_BANK = join(fresh.folder, 'no.sock')
  for (const options of [[], ['--workers', '2']]) {
    const refused = await fresh.runCli(['start', ...options], { PORT: '0', TILLGATE_BANK })
    assertRefused(refused, /^The simulated bank at \S+no\.sock does not answer\. .*TILLGATE_BANK/)
  }
  const gateway = await fresh.start()
  await gateway.signIn()
  assert.equal((await gateway.stop()).code, 0)
})

test('an address to listen on that this machine does not have is refused in words', async () => {
  assertRefused(await home.runCli(['start'], { PORT: '0', TILLGATE_HOST: '192.0.2.1' }), /TILLGATE_HOST/)
})

test('a gateway works inside a folder that is closed to everybody else', async (t) => {
  const closed = openHome(t)
  const parent = join(closed.folder, 'closed')
  mkdirSync(parent)
  chmodSync(parent, 0o700)
  const gateway = await closed.start({ DATA_DIR: join(parent, 'deep', 'data') })
  await gateway.signIn()
  assert.equal((await gateway.stop()).code, 0)
})
