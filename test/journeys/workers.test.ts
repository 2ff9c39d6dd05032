import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
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
