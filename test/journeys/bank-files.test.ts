import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { returnFileFor } from '../../simulator/ach-bank.ts'
import { type GatewayProcess, openHome } from '../support/gateway-process.ts'
import { faultsOfNacha } from '../support/nacha-check.ts'

// A day of bank debits as an operator sees it: sold over HTTP, printed and returned by the command line.

const account = '1234567890123451'

async function call(gateway: GatewayProcess, sessionKey: string, path: string, body: object) {
  const answer = await gateway.call(path, body, sessionKey)
  const [result]: readonly Readonly<Record<string, unknown>>[] = Object.values(JSON.parse(answer.text))
  assert(result)
  assert.equal(result['FunctionOk'], true, answer.text)
  return result
}

test('a file is printed, its returns are applied once, and a damaged one changes nothing', async (t) => {
  const home = openHome(t)
  const gateway = await home.start()
  const sessionKey = await gateway.signIn()
  const sold = await call(gateway, sessionKey, 'ACH/Sale', {
    ChargeDetails: { AccountNumber: account, RoutingNumber: '110000000', Amount: 12.34, AccountType: 1 },
    AcctHolder: { Firstname: 'Ada', Lastname: 'Miller' },
    MerchID: 1,
  })
  const settled = await call(gateway, sessionKey, 'Settlement/ExecuteBatch_All', { MerchID: 1 })
  const batch = String(Object(settled['BatchResult']).BatchLogID)

  const printed = await home.runCli(['ach', 'file', batch])
  assert.deepEqual([printed.code, printed.stderr], [0, ''])
  assert.deepEqual(faultsOfNacha(printed.stdout), [])
  assert.match(printed.stdout, new RegExp(`^627110000000${account} `, 'm'))

  const back = returnFileFor(printed.stdout, Temporal.PlainDate.from('2027-01-20'))
  assert(back !== null)
  const [whole, damaged] = [join(home.folder, 'returns.txt'), join(home.folder, 'damaged.txt')]
  await Promise.all([writeFile(whole, back), writeFile(damaged, back.replace(' 0000001234', ' 0000001235'))])

  const refused = await home.runCli(['ach', 'returns', damaged])
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /Line 5 says debits .* Nothing was applied/)
  const applied = await home.runCli(['ach', 'returns', whole])
  assert.match(applied.stdout, new RegExp(`${Number(sold['TxID'])} .*12.34 USD`))
  assert.match(applied.stdout, /Returned 1, corrected 0, known before 0/)
  const again = await home.runCli(['ach', 'returns', whole])
  assert.match(again.stdout, /Returned 0, corrected 0, known before 1/)
  assert.equal((await home.runCli(['ledger', 'verify'])).code, 0)

  for (const [words, complaint] of [
    [['ach', 'file', '999999'], /Batch 999999 has no file for a bank/],
    [['ach', 'file', 'x'], /x is no batch id/],
    [['ach', 'returns', join(home.folder, 'nothing')], /cannot be read/],
  ] as const) {
    const { code, stderr } = await home.runCli(words)
    assert.equal(code, 1)
    assert.match(stderr, complaint)
  }
  assert(!gateway.output().includes(account), 'the log tells no account number')
})
