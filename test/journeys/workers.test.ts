import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { coresIn, usableCores } from '#platform/processor-cores.ts'
import { type GatewayProcess, isRunning, openHome, until } from '../support/gateway-process.ts'

const home = openHome({ after })

function workersOf({ processId }: GatewayProcess): readonly number[] {
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

// One list for each thread of a process, its main thread first.
function coresOf(id: number): readonly string[] {
  const threads = readdirSync(`/proc/${id}/task`).toSorted((a, b) => Number(a) - Number(b))
  return threads.map((thread) => readCores(`/proc/${id}/task/${thread}/status`).join(','))
}

function readCores(file: string): readonly number[] {
  return coresIn(readFileSync(file, 'utf8'))
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

// Of a machine that has not two cores nothing is asked but that workers may use all of them.
test('two workers on two cores stay on one each, and what they do beside their calls does not', async () => {
  const gateway = await home.start({}, ['--workers', '2'])
  const all = usableCores().join(',')
  const ofEach = usableCores().length === 2 ? usableCores().map(String) : [all, all]
  assert.equal(await chargeOnce(gateway, await gateway.signIn()), 200)
  const threads = workersOf(gateway).map(coresOf)
  assert.deepEqual(threads.map(([main = '']) => main).toSorted(), ofEach)
  assert.deepEqual(new Set(threads.flatMap(([, ...others]) => others)), new Set([all]))

  const [doomed] = workersOf(gateway)
  assert.ok(doomed)
  process.kill(doomed, 'SIGKILL')
  await until(() => !isRunning(doomed), { what: 'it is dead' })
  const mainThreads = () => workersOf(gateway).map((id) => readCores(`/proc/${id}/status`).join(','))
  await until(() => isDeepStrictEqual(mainThreads().toSorted(), ofEach), {
    what: 'another worker has taken the core of the dead one',
  })
  await gateway.stop()
})

test('workers end when the process that started them is killed', async () => {
  const gateway = await home.start({}, ['--workers', '2'])
  const workers = workersOf(gateway)
  await gateway.kill('SIGKILL')
  await until(() => !workers.some(isRunning), { what: 'the workers have ended' })
})

test('a number of workers that makes no sense is refused', async () => {
  for (const options of [['--workers'], ['--workers', '0'], ['--workers', 'two'], ['--threads', '2']]) {
    const { code, stderr } = await home.runCli(['start', ...options])
    assert.equal(code, 1)
    assert.match(stderr, /--workers and a number from 1 to 64/)
  }
})
