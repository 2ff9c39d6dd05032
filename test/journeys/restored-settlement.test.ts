import assert from 'node:assert/strict'
import { cpSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startBankProcess } from '../../simulator/start-bank-process.ts'
import { type GatewayProcess, openHome, until } from '../support/gateway-process.ts'

// A database that was set back to before a settlement, while the bank remembers it.

async function charge(gateway: GatewayProcess, amount: number): Promise<boolean> {
  const { consents } = JSON.parse(readFileSync(join(gateway.dataFolder, 'sandbox.json'), 'utf8'))
  const body = { ConsentID: consents.visa, Amounts: { BaseAmt: amount } }
  const { result } = await gateway.call('ConsentAnnual/ChargeStoredCard', body, await gateway.signIn())
  return result.FunctionOk
}

async function settle(gateway: GatewayProcess): Promise<readonly [code: string, net: number, id: number]> {
  const { text } = await gateway.call('Settlement/ExecuteBatch_All', { MerchID: 1 }, await gateway.signIn())
  const { BatchResult } = JSON.parse(text)['Settlement_ExecuteBatch_AllResult']
  return [BatchResult.Code, BatchResult.BatchNetAmount, BatchResult.BatchLogID]
}

test('what the bank has settled already is released, and the rest settles', async (t) => {
  const home = openHome(t)
  const bank = await startBankProcess({
    logFile: join(home.folder, 'bank.log'),
    listen: join(home.folder, 'bank.socket'),
    pace: 0.02,
  })
  t.after(() => bank.stop())
  const env = { TILLGATE_BANK: join(home.folder, 'bank.socket') }
  const postgres = join(home.dataFolder, 'postgres')
  const backup = join(home.folder, 'backup')
  const before = await home.start(env)
  assert.equal(await charge(before, 5), true)
  await before.stop()
  cpSync(postgres, backup, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  const lost = await home.start(env)
  const [accepted, net] = await settle(lost)
  assert.equal(accepted, 'A')
  assert.equal(await charge(lost, 7), true)
  await lost.stop()
  rmSync(postgres, { recursive: true })
  renameSync(backup, postgres)

  const gateway = await home.start(env)
  const release = (id: number) => {
    const options = ['--account', gateway.acctCode, '--reason', 'Restored, compared with the bank']
    return home.runCli(['batch', 'release', String(id), ...options], env)
  }
  const early = await release(1)
  assert.match(early.stderr, /not released: nothing may be decided while sending is held: the database lacks/)
  await home.runCli(['resume', '--reason', 'Compared with the bank'], env)
  await until(() => charge(gateway, 11), { what: 'the gateway goes on' })

  const [failed, , id] = await settle(gateway)
  assert.equal(failed, 'F')
  const isLogged = () => /rejected a batch.*tillgate batch release ends it/.test(gateway.output())
  await until(isLogged, { what: 'the log leads to the command' })
  const sick = await home.runCli(['doctor'], { ...env, PORT: new URL(gateway.baseUrl).port })
  assert.match(sick.stdout, new RegExp(`batches +warning +rejected: id ${id} .*tillgate batch release ID`))
  const released = await release(id)
  assert.deepEqual([released.code, released.stderr], [0, ''])
  assert.match(
    released.stdout,
    /Released; recorded as settled in other batches: \d+, given back to be settled: 1\./,
  )
  const well = await home.runCli(['doctor'], { ...env, PORT: new URL(gateway.baseUrl).port })
  assert.match(well.stdout, /batches +ok +none is rejected/)
  assert.deepEqual((await settle(gateway)).slice(0, 2), ['A', 11])
  assert(net > 0)
  const again = await release(id)
  assert.deepEqual([again.code, again.stderr], [1, `Batch ${id} is not released: it is released already.\n`])
})
