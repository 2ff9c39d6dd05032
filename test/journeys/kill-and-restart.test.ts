import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { count } from '../support/counts.ts'
import { type GatewayProcess, type Home, isRunning, openHome, until } from '../support/gateway-process.ts'

// kill -9 at any time, of whatever runs: the next start goes on where the last one was cut off.

async function accountsIn(home: Home): Promise<readonly { code: string }[]> {
  const { code, stdout, stderr } = await home.runCli(['account', 'list', '--json'])
  assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
  return JSON.parse(stdout)
}

async function assertNothingLost(home: Home, gateway: GatewayProcess, sessionKey: string): Promise<void> {
  const session = await gateway.query(sessionKey)
  assert.equal(session.FunctionOk, true, 'the session from before the kill still works')
  assert.equal(session.MerchantList?.length, 3, 'no merchant record was lost or seeded twice')
  await gateway.signIn()
  assert.deepEqual(
    (await accountsIn(home)).map(({ code }) => code),
    ['TG0000001'],
    'one account, seeded once',
  )
}

async function killPostgres(gateway: GatewayProcess): Promise<void> {
  const processId = gateway.postgresId()
  assert.ok(isRunning(processId))
  process.kill(processId, 'SIGKILL')
  await until(() => !isRunning(processId), { what: 'PostgreSQL is dead' })
}

test('a killed gateway comes back on the database server that it left running', async (t) => {
  const home = openHome(t)
  const first = await home.start()
  const sessionKey = await first.signIn()
  const postgresId = first.postgresId()
  assert.deepEqual(await first.kill('SIGKILL'), { code: null, signal: 'SIGKILL' })
  assert.ok(isRunning(postgresId), 'PostgreSQL outlives a killed gateway')
  const second = await home.start()
  assert.equal(second.postgresId(), postgresId)
  assert.equal(second.token, first.token)
  await assertNothingLost(home, second, sessionKey)
  assert.equal((await second.stop()).code, 0)
  assert.ok(!isRunning(postgresId), 'a server that was taken over is stopped like any other')
})

test('a gateway starts a PostgreSQL again that died under it, and turns calls away meanwhile', async (t) => {
  const home = openHome(t)
  const gateway = await home.start()
  const sessionKey = await gateway.signIn()
  const postgresId = gateway.postgresId()
  await killPostgres(gateway)
  const isServed = async () => {
    const { status, result } = await gateway.authenticate()
    if (status !== 200) assert.deepEqual([status, result.ErrCode, result.FunctionOk], [503, 9001, false])
    return result.FunctionOk
  }
  await until(isServed, { what: 'the gateway serves calls again' })
  assert.equal((await gateway.get('/ready')).status, 200)
  assert.notEqual(gateway.postgresId(), postgresId)
  await assertNothingLost(home, gateway, sessionKey)
  assert.equal((await gateway.stop()).code, 0)
})

test('every session key that was handed out before both were killed still works afterwards', async (t) => {
  const home = openHome(t)
  const first = await home.start()
  const handedOut: string[] = []
  const enough = count({ full: 1_000, usual: 100 })
  const signInUntilDead = async (): Promise<void> => {
    for (;;) handedOut.push(await first.signIn())
  }
  const callers = Array.from({ length: 8 }, () => assert.rejects(signInUntilDead()))
  await until(() => handedOut.length >= enough, { what: `${enough} sign-ins` })
  process.kill(first.postgresId(), 'SIGKILL')
  await first.kill('SIGKILL')
  await Promise.all(callers)
  const second = await home.start()
  for (const sessionKey of handedOut) {
    assert.equal((await second.query(sessionKey)).FunctionOk, true)
  }
  await assertNothingLost(home, second, handedOut[0] ?? '')
})

const moments = [
  ['begins to set up PostgreSQL', ['postgres', 'starting.pid']],
  ['has set up PostgreSQL', ['postgres', 'cluster']],
  ['has launched PostgreSQL', ['postgres', 'cluster', 'postmaster.pid']],
  ['has made its keys', ['keys', 'key-ring.json']],
] as const

for (const [what, path] of moments) {
  test(`a first start that is killed when it ${what} can simply be repeated`, async (t) => {
    const home = openHome(t)
    const first = home.launch()
    await until(() => existsSync(join(home.dataFolder, ...path)), { what })
    process.kill(first.processId, 'SIGKILL')
    assert.equal((await first.ended).signal, 'SIGKILL')
    const second = await home.start()
    await assertNothingLost(home, second, await second.signIn())
    assert.equal((await second.stop()).code, 0)
  })
}
