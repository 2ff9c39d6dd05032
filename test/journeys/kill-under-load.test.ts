import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { test } from 'node:test'
import pg from 'pg'
import { assertNothingLostOrDoubled, type Told, untilResolved } from '../support/bank-as-witness.ts'
import { openTown } from '../support/bank-town.ts'
import { count } from '../support/counts.ts'
import type { GatewayProcess } from '../support/gateway-process.ts'
import { testConnection } from '../support/test-cluster.ts'

// The gateway killed with -9 again and again while many clients charge stored cards as fast as they can, so
// that every kill hits full batches. Whoever got no answer sends the same key again to the next process.

const kills = count({ full: 200, usual: 5, setting: 'TEST_KILLS' })
// So many that batches are full of them.
const clients = 128
const consents = 160
const callPatienceMs = 20_000

type Order = { readonly key: string; readonly consent: number; readonly cents: number }
// Whoever serves right now; replaced after each kill.
type Front = { serving: Promise<GatewayProcess>; session: string; isOver: boolean }

async function post(
  gateway: GatewayProcess,
  path: string,
  { body, headers }: { body: object; headers: Record<string, string> },
) {
  const answer = await fetch(`${gateway.baseUrl}/APIcardProcREST/v1.0.0/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(callPatienceMs),
  })
  const [result] = Object.values((await answer.json()) as Record<string, Record<string, unknown>>)
  assert.ok(result, 'every answer has an envelope')
  return result
}

async function makeConsents(gateway: GatewayProcess, session: string): Promise<readonly number[]> {
  const body = {
    ccCardInfo: { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2098 },
    ConsentCreator: { MerchID: 1, LimitPerCharge: 1_000, LimitLifeTime: 100_000_000 },
    AcctHolder: { Firstname: 'Ann', Lastname: 'Example' },
  }
  const made: number[] = []
  while (made.length < consents) {
    const { ConsentID } = await post(gateway, 'ConsentAnnual/Create_MAN', {
      body,
      headers: { SessKey: session },
    })
    // A busy gateway may turn one away; without a card there is nothing to charge.
    if (Number(ConsentID) > 0) made.push(Number(ConsentID))
  }
  return made
}

// null: no answer came, or one that decides nothing.
async function charge(gateway: GatewayProcess, session: string, order: Order): Promise<Told | null> {
  try {
    const result = await post(gateway, 'ConsentAnnual/ChargeStoredCard', {
      body: { ConsentID: order.consent, Amounts: { BaseAmt: order.cents / 100 } },
      headers: { SessKey: session, 'Idempotency-Key': order.key },
    })
    return result['ErrCode'] === 0
      ? {
          key: order.key,
          approved: result['TxApproved'] === true,
          transaction: BigInt(Number(result['TxID'])),
        }
      : null
  } catch {
    return null
  }
}

// Charges without a pause. What was not answered is sent again, by the same key, until it is.
async function keepCharging(front: Front, stock: readonly number[], told: Told[]): Promise<void> {
  let open: Order | null = null
  while (open || !front.isOver) {
    const order: Order = open ?? {
      key: randomBytes(8).toString('hex'),
      consent: stock[randomInt(stock.length)] ?? 0,
      cents: randomInt(100, 9_000),
    }
    const answer = await charge(await front.serving, front.session, order)
    open = answer ? null : order
    if (answer) told.push(answer)
  }
}

async function untilMore(told: readonly Told[], more: number): Promise<void> {
  const wanted = told.length + more
  while (told.length < wanted) await new Promise((resolve) => setTimeout(resolve, 5))
}

test('a gateway that is killed again and again under full load loses and doubles nothing', async (t) => {
  const { home, bank, database, env: town } = await openTown(t)
  const env = { ...town, TILLGATE_PATIENCE_PERCENT: '2', TILLGATE_LOG_LEVEL: 'error' }
  let gateway = await home.start(env)
  const front: Front = { serving: Promise.resolve(gateway), session: await gateway.signIn(), isOver: false }
  const stock = await makeConsents(gateway, front.session)
  const told: Told[] = []
  const charging = Array.from({ length: clients }, () => keepCharging(front, stock, told))
  for (let kill = 0; kill < kills; kill += 1) {
    await untilMore(told, randomInt(clients / 2, 3 * clients))
    // Whoever calls from now on waits for the next process.
    const next = Promise.withResolvers<GatewayProcess>()
    front.serving = next.promise
    await gateway.kill('SIGKILL')
    gateway = await home.start(env)
    next.resolve(gateway)
  }
  front.isOver = true
  await Promise.all(charging)
  const client = new pg.Client(testConnection(database))
  await client.connect()
  t.after(() => client.end())
  await untilResolved(client)
  await assertNothingLostOrDoubled(client, told, await bank.readLog({ last: 10_000_000 }))
  t.diagnostic(`${kills} kills, ${told.length} charges told`)
})
