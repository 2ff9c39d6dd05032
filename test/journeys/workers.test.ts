import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { usableCores } from '#platform/processor-cores.ts'
import { readCores, whereCoresAreChosen } from '../support/cores.ts'
import { type GatewayProcess, isRunning, openHome, until } from '../support/gateway-process.ts'

const home = openHome({ after })

function workersOf({ processId }: Pick<GatewayProcess, 'processId'>): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((id) => id > 0 && isWorkerOf(id, processId))
}

function isWorkerOf(id: number, parent: number): boolean {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8')
    const isChild = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] === String(parent)
    return isChild && readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('start')
  } catch {
    return false
  }
}

async function chargeOnce(gateway: GatewayProcess, sessionKey: string): Promise<number> {
  const body = { ConsentID: 1, Amounts: { BaseAmt: 1 } }
  return (await gateway.call('ConsentAnnual/ChargeStoredCard', body, sessionKey)).status
}

test('two workers serve one port; one that is killed is replaced, and a stop ends them all', async () => {
  const gateway = await home.start({}, ['--workers', '2'])
  const first = workersOf(gateway)
  assert.equal(first.length, 2)
  const sessionKey = await gateway.signIn()
  assert.deepEqual(
    await Promise.all(Array.from({ length: 8 }, () => chargeOnce(gateway, sessionKey))),
    Array.from({ length: 8 }, () => 200),
  )

  const [doomed] = first
  assert.ok(doomed)
  process.kill(doomed, 'SIGKILL')
  await until(() => !workersOf(gateway).includes(doomed) && workersOf(gateway).length === 2, {
    what: 'another worker has taken the place of the dead one',
  })
  assert.equal(await chargeOnce(gateway, sessionKey), 200)

  const last = workersOf(gateway)
  assert.equal((await gateway.stop()).code, 0)
  assert.deepEqual(last.filter(isRunning), [])
})

test('a worker that dies before it serves is replaced as well, and the others serve', async () => {
  const starting = home.launch({}, ['--workers', '2'])
  await until(() => workersOf(starting).length === 2, { what: 'two workers are starting' })
  const [, doomed] = workersOf(starting)
  assert.ok(doomed)
  process.kill(doomed, 'SIGKILL')
  const gateway = await starting.ready()
  assert.equal(await chargeOnce(gateway, await gateway.signIn()), 200)
  await until(() => !workersOf(gateway).includes(doomed) && workersOf(gateway).length === 2, {
    what: 'another worker has taken the place of the dead one',
  })
  assert.equal((await gateway.stop()).code, 0)
})

test('where no worker comes to serve, the gateway ends and says so', async () => {
  const starting = home.launch({}, ['--workers', '2'])
  await until(() => workersOf(starting).length === 2, { what: 'two workers are starting' })
  for (const doomed of workersOf(starting)) process.kill(doomed, 'SIGKILL')
  assert.equal((await starting.ended).code, 1)
  assert.match(starting.output(), /A worker ended before it could serve \(SIGKILL\)\./)
})

// Otherwise the process that started them would hand connections out, most of them to the least busy.
test('each worker listens for itself', { skip: process.platform !== 'linux' }, async () => {
  const gateway = await home.start({}, ['--workers', '2'])
  const listening = readListeners(Number(new URL(gateway.baseUrl).port))
  assert.equal(listening.length, 2)
  assert.deepEqual(
    workersOf(gateway).map((id) => listening.filter((socket) => holds(id, socket)).length),
    [1, 1],
  )
  await gateway.stop()
})

// The sockets that wait for connections to a port, by their numbers.
function readListeners(port: number): readonly string[] {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  const columns = rows.map((row) => row.trim().split(/\s+/))
  return columns.flatMap((row) => (row[1]?.endsWith(local) && row[3] === '0A' ? [row[9] ?? ''] : []))
}

function holds(processId: number, socket: string): boolean {
  const folder = `/proc/${processId}/fd`
  return readdirSync(folder).some((file) => readLinkOr(join(folder, file)) === `socket:[${socket}]`)
}

function readLinkOr(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

test('workers share their port with nobody else, and a second gateway is refused', async () => {
  const gateway = await home.start({}, ['--workers', '2'])
  const { port } = new URL(gateway.baseUrl)
  const DATA_DIR = join(home.folder, 'other')
  const { code, stderr } = await home.runCli(['start', '--workers', '2'], { PORT: port, DATA_DIR })
  assert.equal(code, 1)
  assert.match(stderr, new RegExp(`^Port ${port} is taken by another program`))
  assert.equal(await chargeOnce(gateway, await gateway.signIn()), 200)
  await gateway.stop()
})

// Of a machine that has not two cores nothing is asked but that workers may use all of them.
test('two workers on two cores stay on one each', whereCoresAreChosen, async () => {
  const gateway = await home.start({}, ['--workers', '2'])
  const cores = usableCores()
  const all = readCores(process.pid).main
  const ofEach = cores.length === 2 ? new Set(cores.map(String)) : new Set([all])
  const mainThreads = () => new Set(workersOf(gateway).map((id) => readCores(id).main))
  assert.equal(await chargeOnce(gateway, await gateway.signIn()), 200)
  assert.deepEqual(mainThreads(), ofEach)
  assert.deepEqual(new Set(workersOf(gateway).flatMap((id) => readCores(id).others)), new Set([all]))

  const [doomed] = workersOf(gateway)
  assert.ok(doomed)
  process.kill(doomed, 'SIGKILL')
  await until(() => !isRunning(doomed), { what: 'it is dead' })
  await until(() => workersOf(gateway).length === 2 && isDeepStrictEqual(mainThreads(), ofEach), {
    what: 'another worker has taken the core of the dead one',
  })
  await gateway.stop()
})

test('a worker that dies while it is given its core is replaced, and all others serve', async () => {
  const tools = join(home.folder, 'tools')
  mkdirSync(tools)
  // In place of the system's: leaves the first worker alone, kills the second, and ends when that has been
  // noticed.
  const script = `#!/bin/sh
mkdir "$0.first" 2>/dev/null && exit 1
mkdir "$0.second" 2>/dev/null && kill -9 "$3" && while kill -0 "$3" 2>/dev/null; do sleep 0.1; done
exit 1
`
  writeFileSync(join(tools, 'taskset'), script, { mode: 0o755 })
  const gateway = await home.start({ PATH: `${tools}:${process.env['PATH'] ?? ''}` }, ['--workers', '2'])
  await until(() => workersOf(gateway).length === 2, { what: 'there are two workers' })
  assert.equal(await chargeOnce(gateway, await gateway.signIn()), 200)
  assert.equal((await gateway.stop()).code, 0)
})

test('workers answer their calls and end when the process that started them is killed', async () => {
  const gateway = await home.start({ TILLGATE_PATIENCE_PERCENT: '50' }, ['--workers', '2'])
  const workers = workersOf(gateway)
  const sessionKey = await gateway.signIn()
  // The bank is silent about it, so the call is under way for long.
  const body = { ConsentID: 1, Amounts: { BaseAmt: 9900.68 } }
  const call = gateway.call('ConsentAnnual/ChargeStoredCard', body, sessionKey)
  await until(async () => /authorize.*9900\.68/.test((await home.runCli(['bank', 'log'])).stdout), {
    what: 'the bank was asked',
  })
  await gateway.kill('SIGKILL')
  assert.equal((await call).status, 200)
  await until(() => !workers.some(isRunning), { what: 'the workers have ended' })
  assert.doesNotMatch(gateway.output(), /Error: /)
})

test('a number of workers that makes no sense is refused', async () => {
  for (const options of [['--workers'], ['--workers', '0'], ['--workers', 'two'], ['--threads', '2']]) {
    const { code, stderr } = await home.runCli(['start', ...options])
    assert.equal(code, 1)
    assert.match(stderr, /--workers and a number from 1 to 64/)
  }
})
