import assert from 'node:assert/strict'
import { cpSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readFileSync } from 'node:fs'
import { type GatewayProcess, openHome, until } from '../support/gateway-process.ts'

// A database that was set back or copied must not charge again what was charged already.

const paused = 9005

async function charge(gateway: GatewayProcess) {
  const { consents } = JSON.parse(readFileSync(join(gateway.dataFolder, 'sandbox.json'), 'utf8'))
  const body = { ConsentID: consents.visa, Amounts: { BaseAmt: 5 } }
  return gateway.call('ConsentAnnual/ChargeStoredCard', body, await gateway.signIn())
}

async function call(gateway: GatewayProcess, path: string, body: object) {
  const { status, result } = await gateway.call(path, body, await gateway.signIn())
  return [status, result.ErrCode]
}

async function assertCharges(gateway: GatewayProcess): Promise<void> {
  const { result } = await charge(gateway)
  assert.equal(result.ErrMsg, '')
}

async function heldOf(gateway: GatewayProcess): Promise<string | undefined> {
  const { text } = await gateway.get('/metrics')
  return /^tillgate_sending_held\{kind="paused"\} (\d)$/m.exec(text)?.[1]
}

async function assertPaused(gateway: GatewayProcess, because: RegExp): Promise<void> {
  const { status, result } = await charge(gateway)
  assert.deepEqual([status, result.ErrCode, result.FunctionOk], [503, paused, false])
  assert.match(result.ErrMsg, because)
  for (const path of ['Settlement/ExecuteBatch_All', 'Settlement/ExecuteBatch_Selective']) {
    const named = path.endsWith('Selective') ? { TransactionIDs: [1] } : {}
    assert.deepEqual(await call(gateway, path, { MerchID: 1, ...named }), [503, paused])
  }
  assert.equal((await gateway.get('/ready')).status, 200, 'reads go on')
  assert.equal(await heldOf(gateway), '1')
  assert.equal((await gateway.query(await gateway.signIn())).FunctionOk, true)
}

function assertGreeting(gateway: GatewayProcess, told: RegExp): void {
  const greeting = gateway.output()
  assert.match(greeting, told)
  const command = `DATA_DIR=${gateway.dataFolder} node \\S*/bin/tillgate\\.cjs resume --reason TEXT`
  assert.match(greeting, new RegExp(`\n  ${command}\n`))
}

test('an older copy of the data pauses the gateway until an operator confirms', async (t) => {
  const home = openHome(t)
  const postgres = join(home.dataFolder, 'postgres')
  const backup = join(home.folder, 'backup')
  await (await home.start()).stop()
  cpSync(postgres, backup, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })

  const killed = await home.start()
  await assertCharges(killed)
  await killed.kill('SIGKILL')
  const again = await home.start()
  await assertCharges(again)
  await again.stop()
  const third = await home.start()
  await assertCharges(third)
  await third.stop()

  rmSync(postgres, { recursive: true })
  renameSync(backup, postgres)
  const restored = await home.start()
  await assertPaused(restored, /restored/)
  assertGreeting(restored, /Payments are PAUSED: the database lacks payments or batches.*\.$/m)
  const sick = await home.runCli(['doctor'])
  assert.equal(sick.code, 1)
  assert.match(sick.stdout, /guard +WRONG +paused: the database lacks payments/)
  const move = await home.runCli(['clock', 'advance', 'P1D', '--account', 'TG0000001'])
  assert.deepEqual([move.code, /restored/.test(move.stderr)], [1, true])
  const nameless = await home.runCli(['resume'])
  assert.match(nameless.stderr, /--reason is missing/)
  const resumed = await home.runCli(['resume', '--reason', 'Compared with the bank'])
  assert.deepEqual([resumed.code, resumed.stderr], [0, ''])
  await until(async () => (await charge(restored)).result.FunctionOk, { what: 'the gateway goes on' })
  assert.equal(await heldOf(restored), '0')
  await restored.stop()
  const healed = await home.start()
  await assertCharges(healed)
  assert.doesNotMatch(healed.output(), /PAUSED/)
})

test('a copy of the database in another place does not send by itself', async (t) => {
  const home = openHome(t)
  const original = await home.start()
  await assertCharges(original)
  await original.stop()
  const copy = join(home.folder, 'copy')
  for (const name of ['postgres', 'keys'])
    cpSync(join(home.dataFolder, name), join(copy, name), {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
    })
  const clone = await home.start({ DATA_DIR: copy })
  await assertPaused(clone, /not registered/)
  assertGreeting(clone, /Payments are PAUSED: this node is not registered in the database.*\.$/m)
  await clone.stop()
  await assertCharges(await home.start())
})
