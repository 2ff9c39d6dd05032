import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import type { BankProcess } from '../../simulator/start-bank-process.ts'
import { assertNothingLostOrDoubled, untilResolved } from '../support/bank-as-witness.ts'
import { openTown } from '../support/bank-town.ts'
import { type GatewayProcess, until } from '../support/gateway-process.ts'
import { testConnection } from '../support/test-cluster.ts'

// Two gateways on one database, and two callers at each who process the same due payments at once. One
// gateway is killed with -9 while the bank has its requests. The bank is a process of its own, and its log
// is the witness: every payment is charged once.

const plans = 200
const paymentsOfEach = 10
const payments = plans * paymentsOfEach
const paidBeforeTheKill = 400
const underWayAtTheKill = 200

type Node = { readonly gateway: GatewayProcess; readonly session: string }
type Answered = {
  readonly ErrCode: number
  readonly ConsentID: number
  readonly ApprovedPayments: readonly { readonly SchedID: number; readonly TxID: number }[]
}

async function call({ gateway, session }: Node, path: string, body: object): Promise<Answered> {
  const answer = await fetch(`${gateway.baseUrl}/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', SessKey: session },
    body: JSON.stringify(body),
  })
  const [result] = Object.values((await answer.json()) as Record<string, Answered>)
  assert.ok(result, 'every answer has an envelope')
  assert.equal(result.ErrCode, 0)
  return result
}

const rest = 'APIcardProcREST/v1.0.0'

async function makePlan(node: Node): Promise<number> {
  const { ConsentID } = await call(node, `${rest}/ConsentRecurring/Create`, {
    ccCardInfo: { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2098 },
    ConsentCreator: { MerchID: 1, NumPayments: paymentsOfEach, TotalAmount: 95.5, Period: 'WEEKLY' },
    AcctHolder: { Firstname: 'Ann', Lastname: 'Example' },
  })
  return ConsentID
}

const collect = (node: Node): Promise<Answered> =>
  call(node, `${rest}/RecurringSchedule/ProcessScheduledPayments`, { MerchID: 1 })

// Record 1 of the sandbox collects nothing by itself, so after three months all of them wait.
async function makeAllDue(nodes: readonly [Node, Node]): Promise<readonly number[]> {
  const consents: number[] = []
  while (consents.length < plans) consents.push(...(await Promise.all(nodes.map(makePlan))))
  await call(nodes[0], 'sandbox/clock', { advance: 'P3M' })
  return consents
}

async function numberOf(client: pg.Client, sql: string, consents: readonly number[]): Promise<number> {
  const { rows } = await client.query<{ count: number }>(sql, [consents])
  return rows[0]?.count ?? 0
}

const paidSql = `select count(*)::int from instalment where state = 'paid' and consent_id = any($1)`
const underWaySql = `select count(*)::int from instalment where state = 'charging' and consent_id = any($1)`

async function setTheStage(t: TestContext) {
  const { home, bank, database, env } = await openTown(t)
  const start = async (name: string): Promise<Node> => {
    const gateway = await home.start({
      ...env,
      KEYS_DIR: join(home.folder, 'keys'),
      DATA_DIR: join(home.folder, name),
      TILLGATE_PATIENCE_PERCENT: '10',
      TILLGATE_LOG_LEVEL: 'error',
    })
    return { gateway, session: await gateway.signIn() }
  }
  const client = new pg.Client(testConnection(database))
  await client.connect()
  t.after(() => client.end())
  return { bank, client, survivor: await start('left'), victim: await start('right') }
}

// The bank holds its breath, so that the gateway dies with requests that nobody has answered.
async function killWhileTheBankHasRequests(
  bank: BankProcess,
  victim: Node,
  isAmidst: () => Promise<boolean>,
) {
  process.kill(bank.processId, 'SIGSTOP')
  await until(isAmidst, { what: `${underWayAtTheKill} payments are under way` })
  await victim.gateway.kill('SIGKILL')
  process.kill(bank.processId, 'SIGCONT')
}

test('2,000 due payments are charged once each, by two nodes of which one is killed', async (t) => {
  const { bank, client, survivor, victim } = await setTheStage(t)
  const consents = await makeAllDue([survivor, victim])
  const amount = (sql: string) => numberOf(client, sql, consents)
  const lost = [victim, victim].map((node) => assert.rejects(collect(node)))
  const told = [survivor, survivor].map(collect)
  await until(async () => (await amount(paidSql)) >= paidBeforeTheKill, { what: 'some payments are paid' })
  await killWhileTheBankHasRequests(
    bank,
    victim,
    async () => (await amount(underWaySql)) >= underWayAtTheKill,
  )
  const paidAtTheKill = await amount(paidSql)
  assert.ok(paidAtTheKill < payments - underWayAtTheKill, `killed when ${paidAtTheKill} were paid`)
  await Promise.all(lost)
  const approved = (await Promise.all(told)).flatMap(({ ApprovedPayments }) => ApprovedPayments)
  assert.equal(new Set(approved.map(({ SchedID }) => SchedID)).size, approved.length, 'none is told twice')
  await untilResolved(client)
  // What the dead node had claimed and not begun is free again when its claims have run out.
  const isAllPaid = async (): Promise<boolean> => {
    await collect(survivor)
    return (await amount(paidSql)) === payments
  }
  await until(isAllPaid, { what: `all ${payments} are paid`, withinMs: 60_000 })
  await untilResolved(client)
  const log = await bank.readLog({ last: 10_000_000 })
  await assertNothingLostOrDoubled(
    client,
    approved.map(({ TxID }) => ({ key: null, approved: true, transaction: BigInt(TxID) })),
    log,
  )
  await assertChargedOnce(client, log, consents)
  t.diagnostic(`killed when ${paidAtTheKill} of ${payments} were paid`)
})

type BankLog = Awaited<ReturnType<BankProcess['readLog']>>

// From the bank's side: of what it has approved and not taken back, one for each payment.
async function assertChargedOnce(
  client: pg.Client,
  log: BankLog,
  consents: readonly number[],
): Promise<void> {
  const { rows } = await client.query<{ ref: string; instalment: string }>(
    `select a.acquirer_ref as ref, i.instalment_id::text as instalment
     from attempt a, jsonb_array_elements(a.following) f, instalment i
     where f.value ->> 0 = 'instalment' and i.instalment_id = (f.value ->> 1)::int8
       and i.consent_id = any($1)`,
    [consents],
  )
  const instalmentOf = new Map(rows.map(({ ref, instalment }) => [ref, instalment]))
  const reversed = new Set(log.filter(({ verb }) => verb === 'reverse').map(({ ref }) => ref))
  const standing = log
    .filter(({ verb, reply }) => verb === 'authorize' && reply.outcome === 'approved')
    .filter(({ ref }) => instalmentOf.has(ref) && !reversed.has(ref))
  const charged = new Map(standing.map(({ ref, reply }) => [ref, reply.approvedMinor]))
  assert.equal(new Set([...charged.keys()].map((ref) => instalmentOf.get(ref))).size, payments)
  assert.equal(charged.size, payments, 'no payment has two approvals that stand')
  const minor = [...charged.values()].reduce((sum, one) => sum + one, 0n)
  assert.equal(minor, BigInt(plans) * 9_550n)
}
