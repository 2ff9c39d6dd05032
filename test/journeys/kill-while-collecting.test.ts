import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { assertNothingLostOrDoubled, untilResolved } from '../support/bank-as-witness.ts'
import { openTown } from '../support/bank-town.ts'
import { type GatewayProcess, until } from '../support/gateway-process.ts'
import { testConnection } from '../support/test-cluster.ts'

// A gateway is killed with -9 in the middle of a run under a key, while the bank has its requests. The next
// one is asked with the same key what was charged, and the log of the bank is the witness.

const plans = 60
const paymentsOfEach = 10
const payments = plans * paymentsOfEach
const paidBeforeTheKill = 20

type Node = { readonly gateway: GatewayProcess; readonly session: string }
type Processed = {
  readonly ErrCode: number
  readonly RunState: string
  readonly ConsentID: number
  readonly NumApproved: number
  readonly NumProcessed: number
  readonly ApprovedPayments: readonly { readonly SchedID: number; readonly TxID: number }[]
}
type Heard = { readonly status: number; readonly text: string; readonly result: Processed }

async function call({ gateway, session }: Node, path: string, body: object, key = ''): Promise<Heard> {
  const keyed: Record<string, string> = key === '' ? {} : { 'Idempotency-Key': key }
  const answer = await fetch(`${gateway.baseUrl}/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', SessKey: session, ...keyed },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  const [result] = Object.values<Processed>(JSON.parse(text))
  assert(result, 'every answer has an envelope')
  return { status: answer.status, text, result }
}

const rest = 'APIcardProcREST/v1.0.0'
const collect = (node: Node, key = ''): Promise<Heard> =>
  call(node, `${rest}/RecurringSchedule/ProcessScheduledPayments`, { MerchID: 1 }, key)

// Record 1 of the sandbox collects nothing by itself, so after three months all of them wait.
async function makeAllDue(node: Node): Promise<readonly number[]> {
  const consents: number[] = []
  const order = {
    ccCardInfo: { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2098 },
    ConsentCreator: { MerchID: 1, NumPayments: paymentsOfEach, TotalAmount: 95.5, Period: 'WEEKLY' },
    AcctHolder: { Firstname: 'Ann', Lastname: 'Example' },
  }
  for (let made = 0; made < plans; made += 1) {
    const { result } = await call(node, `${rest}/ConsentRecurring/Create`, order)
    assert.equal(result.ErrCode, 0)
    consents.push(result.ConsentID)
  }
  assert.equal((await call(node, 'sandbox/clock', { advance: 'P3M' })).result.ErrCode, 0)
  return consents
}

test('a run under a key that is killed with -9 tells afterwards what it has charged', async (t) => {
  const { home, bank, database, env } = await openTown(t)
  const client = new pg.Client(testConnection(database))
  const settings = { ...env, TILLGATE_PATIENCE_PERCENT: '10', TILLGATE_LOG_LEVEL: 'error' }
  const start = async (): Promise<Node> => {
    const gateway = await home.start({ ...settings, KEYS_DIR: join(home.folder, 'keys') })
    return { gateway, session: await gateway.signIn() }
  }
  const first = await start()
  await client.connect()
  t.after(() => client.end())
  const countOf = async (condition: string): Promise<number> => {
    const sql = `select count(*)::int from instalment where ${condition}`
    return (await client.query<{ count: number }>(sql)).rows[0]?.count ?? 0
  }
  const consents = await makeAllDue(first)
  const lost = assert.rejects(collect(first, 'spring'))
  await until(async () => (await countOf(`state = 'paid'`)) >= paidBeforeTheKill, { what: 'some are paid' })
  process.kill(bank.processId, 'SIGSTOP')
  await until(async () => (await countOf(`state = 'charging'`)) > 0, { what: 'some are under way' })
  await first.gateway.kill('SIGKILL')
  process.kill(bank.processId, 'SIGCONT')
  await lost

  const second = await start()
  const heard: Heard[] = []
  const isTold = async (): Promise<boolean> => {
    const answer = await collect(second, 'spring')
    assert.ok(answer.status === 200 || answer.status === 409, answer.text)
    if (answer.status === 200) heard.push(answer)
    return answer.status === 200
  }
  await until(isTold, { what: 'the key no longer runs', withinMs: 60_000 })
  await untilResolved(client)
  await isTold()
  const [told, again] = [heard.at(-1), await collect(second, 'spring')]
  assert.ok(told && told.result.NumApproved >= paidBeforeTheKill)
  assert.equal(again.text, told.text)
  assert.equal(told.result.RunState, 'CUT_SHORT')
  assert.equal(await countOf(`state = 'paid'`), told.result.NumApproved)
  await assertAllTold(client, told.result, await bank.readLog({ last: 10_000_000 }))

  // What it did not reach is taken by the next run, and its key tells what it told before.
  const isAllPaid = async (): Promise<boolean> => {
    await collect(second)
    return (await countOf(`state = 'paid' and consent_id in (${consents.join()})`)) === payments
  }
  await until(isAllPaid, { what: `all ${payments} are paid`, withinMs: 60_000 })
  assert.equal((await collect(second, 'spring')).text, told.text)
  t.diagnostic(`killed when ${told.result.NumApproved} of ${payments} were charged`)
  assert.equal((await second.gateway.stop()).code, 0)
})

type BankLog = Parameters<typeof assertNothingLostOrDoubled>[2]

// Of what the bank has approved for instalments, all is told, and each once.
async function assertAllTold(client: pg.Client, told: Processed, log: BankLog): Promise<void> {
  const approvals = told.ApprovedPayments
  await assertNothingLostOrDoubled(
    client,
    approvals.map(({ TxID }) => ({ key: null, approved: true, transaction: BigInt(TxID) })),
    log,
  )
  const { rows } = await client.query<{ ref: string }>(
    `select acquirer_ref as ref from attempt where following @> '[["instalment"]]'`,
  )
  const refs = new Set(rows.map(({ ref }) => ref))
  const charges = log.filter(
    ({ verb, ref, reply }) => verb === 'authorize' && refs.has(ref) && reply.outcome === 'approved',
  )
  assert.equal(new Set(approvals.map(({ SchedID }) => SchedID)).size, charges.length)
}
