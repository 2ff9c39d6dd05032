import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { count } from '../support/counts.ts'
import { type GatewayProcess, type Home, until } from '../support/gateway-process.ts'
import { assertNothingLostOrDoubled, type Told, untilResolved } from '../support/bank-as-witness.ts'
import { openTown } from '../support/bank-town.ts'
import { testConnection } from '../support/test-cluster.ts'

// Real processes, killed with -9 at random moments while they charge cards. The bank is a process of its own,
// and its log is the witness: nothing may be lost and nothing doubled.

const histories = count({ full: 300, usual: 16, setting: 'TEST_PROCESSES' })
const callsInHistory = 24
const callPatienceMs = 15_000
const cardNumber = '4111111111111111'

type Order = { readonly key: string | null; readonly cents: number }

function newOrders(): readonly Order[] {
  return Array.from({ length: callsInHistory }, (_, at) => ({
    key: at % 3 === 0 ? null : randomBytes(8).toString('hex'),
    cents: randomInt(100, 90_000),
  }))
}

// null: no answer came, or one that decides nothing.
async function charge(
  gateway: GatewayProcess,
  session: string,
  order: Order,
): Promise<(Told & Order) | null> {
  const body = {
    ccCardInfo: { AccountNumber: cardNumber, ExpMonth: 12, ExpYear: 2098, CSV: '123' },
    AcctHolder: { Firstname: 'Leak', Lastname: 'Leak Probe' },
    Amounts: { BaseAmt: order.cents / 100 },
    MerchID: 1,
  }
  const keyed: Record<string, string> = order.key === null ? {} : { 'Idempotency-Key': order.key }
  try {
    const answer = await fetch(`${gateway.baseUrl}/APIcardProcREST/v1.0.0/CardSale/Manual`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', SessKey: session, ...keyed },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(callPatienceMs),
    })
    const { CreditCardSale_ManualResult: result } = (await answer.json()) as {
      CreditCardSale_ManualResult: { ErrCode: number; TxApproved: boolean; TxID: number }
    }
    return result.ErrCode === 0
      ? { ...order, approved: result.TxApproved, transaction: BigInt(result.TxID) }
      : null
  } catch {
    return null
  }
}

// Charges until the process is killed, starts another one, and sends every keyed call again until it is
// decided.
async function runHistory(home: Home, env: Record<string, string>, first: GatewayProcess) {
  const session = await first.signIn()
  const orders = newOrders()
  const answers = orders.map((order) => charge(first, session, order))
  const killAfter = randomInt(0, callsInHistory)
  let answered = 0
  await Promise.race([
    Promise.all(answers),
    ...answers.map((answer) =>
      answer.then(() => (++answered >= killAfter ? 'enough' : new Promise(() => undefined))),
    ),
  ])
  await first.kill('SIGKILL')
  const told = (await Promise.all(answers)).filter((one) => one !== null)
  const second = await home.start(env)
  const again: Told[] = []
  for (const order of orders.filter(({ key }) => key !== null)) {
    await until(
      async () => {
        const one = await charge(second, session, order)
        if (one) again.push(one)
        return one !== null
      },
      { what: `the call with key ${order.key} is decided`, withinMs: 60_000 },
    )
  }
  return { gateway: second, told: [...told, ...again] }
}

test('no charge is lost or doubled, however often the gateway is killed while it charges', async (t) => {
  const { home, bank, database, env: town } = await openTown(t)
  const env = { ...town, TILLGATE_PATIENCE_PERCENT: '2', TILLGATE_LOG_LEVEL: 'error' }
  const told: Told[] = []
  let gateway = await home.start(env)
  for (let history = 0; history < histories; history += 1) {
    const ended = await runHistory(home, env, gateway)
    gateway = ended.gateway
    told.push(...ended.told)
  }
  const client = new pg.Client(testConnection(database))
  await client.connect()
  t.after(() => client.end())
  await untilResolved(client)
  await assertNothingLostOrDoubled(client, told, await bank.readLog({ last: 1_000_000 }))
  const bankLog = readFileSync(join(home.folder, 'bank.log'), 'latin1')
  const dump = await dumpOf(client)
  assert.ok(dump.includes('Leak Probe'), 'the dump has what the calls said')
  for (const form of formsOf(cardNumber)) {
    assert.ok(!dump.includes(form), `the database holds ${form}`)
    assert.ok(!bankLog.includes(form), `the bank's log holds ${form}`)
    assert.ok(!gateway.output().includes(form), `the log holds ${form}`)
  }
})

// Every row of every table, events and the bank's schema included, as text.
async function dumpOf(client: pg.Client): Promise<string> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  let dump = ''
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
    dump += rows.map(({ row }) => row).join('\n')
  }
  return dump
}

function formsOf(number: string): readonly string[] {
  const spaced = number.replace(/(\d{4})(?=\d)/g, '$1 ')
  const bytes = Buffer.from(number)
  return [
    number,
    spaced,
    spaced.replaceAll(' ', '-'),
    bytes.toString('hex'),
    bytes.toString('base64').slice(0, 20),
  ]
}
