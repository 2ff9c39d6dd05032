import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { assertNothingLostOrDoubled, untilResolved } from '../support/bank-as-witness.ts'
import { openTown } from '../support/bank-town.ts'
import { type GatewayProcess, until } from '../support/gateway-process.ts'
import { testConnection } from '../support/test-cluster.ts'

// The bank is a process that is stopped: it takes connections and answers nothing, as a host that hangs.

const sale = {
  ccCardInfo: { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2098, CSV: '123' },
  Amounts: { BaseAmt: 12.5 },
  MerchID: 1,
}

type SaleTold = { readonly ErrCode: number; readonly TxID: number }

async function sell(gateway: GatewayProcess, session: string): Promise<SaleTold> {
  const { result } = await gateway.call('CardSale/Manual', sale, session)
  const { ErrCode, TxID } = result as typeof result & SaleTold
  return { ErrCode, TxID }
}

async function isUp(gateway: GatewayProcess): Promise<string | undefined> {
  const { text } = await gateway.get('/metrics')
  return /^tillgate_acquirer_up\{acquirer="simulator-link"\} (\d)$/m.exec(text)?.[1]
}

test('while the bank hangs no sale is begun and all else is served, and then nothing is lost', async (t) => {
  const { home, bank, database, env } = await openTown(t)
  const gateway = await home.start({ ...env, TILLGATE_PATIENCE_PERCENT: '2' })
  const session = await gateway.signIn()
  const first = await sell(gateway, session)
  assert.equal(first.ErrCode, 0)
  assert.equal(await isUp(gateway), '1')

  process.kill(bank.processId, 'SIGSTOP')
  const unknown: SaleTold[] = []
  await until(
    async () => {
      const told = await sell(gateway, session)
      if (told.ErrCode === 9003) unknown.push(told)
      return told.ErrCode === 9002 && told.TxID === 0
    },
    { what: 'sales are refused before they are begun' },
  )
  assert.ok(unknown.length >= 3, 'one silence is chance, and each of these asked twice')
  assert.equal(await isUp(gateway), '0')
  assert.match(gateway.output(), /The acquirer cannot be reached; no payment is begun meanwhile/)
  assert.equal((await gateway.query(session)).ErrCode, 0)

  process.kill(bank.processId, 'SIGCONT')
  await until(async () => (await isUp(gateway)) === '1', { what: 'the gateway finds out by itself' })
  const last = await sell(gateway, session)
  assert.equal(last.ErrCode, 0)
  assert.match(gateway.output(), /The acquirer answers again/)

  const client = new pg.Client(testConnection(database))
  await client.connect()
  t.after(() => client.end())
  await untilResolved(client)
  const told = [first, last].map(({ TxID }) => ({ key: null, approved: true, transaction: BigInt(TxID) }))
  await assertNothingLostOrDoubled(client, told, await bank.readLog({ last: 1_000 }))
})
