import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { int4, int8 } from '#platform/postgres/column-type.ts'
import type { Database } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'
import { checkDurability, checkpoint } from './database-facts.ts'
import { type Gateway, makeHome } from './gateway.ts'
import { type Bench, CheckFailed, type Report, type Scenario } from './scenario.ts'

// Due instalments in one call against the same one by one through the interface, on the same machine.

const root = '/APIcardProcREST/v1.0.0/'
const ratioMin = 10
const growthMbMax = 100
const memoryPollMs = 50
const runMsMax = 300_000

const counts = { smoke: [200, 20], quick: [10_000, 300], full: [10_000, 1_000] } as const

async function run(bench: Bench): Promise<Report> {
  const [inOneCall, oneByOne] = counts[bench.extent.name]
  const home = makeHome(bench)
  const gateway = await home.start()
  bench.keep(() => gateway.stop())
  await checkDurability(gateway.db)
  const client = await signIn(gateway)
  await addDue(client, 256)
  await processAll(client)
  const single = await addDue(client, oneByOne)
  await bench.waitForQuiet()
  const singleMs = await timeOneByOne(client, single)
  await addDue(client, inOneCall)
  // As autovacuum would have, had the rows come in the course of a day.
  await gateway.db.run(analyzeStatement, [])
  await checkpoint(gateway.db)
  await bench.waitForQuiet()
  const memory = watchMemory(gateway.processId)
  const bulkMs = await processAll(client).finally(() => memory.end())
  const growthMb = memory.growthMb()
  await gateway.stop()
  const rates = { bulk: (inOneCall / bulkMs) * 1_000, single: (oneByOne / singleMs) * 1_000 }
  return reportOn({ inOneCall, oneByOne, rates, growthMb })
}

type Measured = {
  readonly inOneCall: number
  readonly oneByOne: number
  readonly rates: { readonly bulk: number; readonly single: number }
  readonly growthMb: number
}

function perSecond(rate: number): string {
  return `${rate.toFixed(0)} a second`
}

function reportOn({ inOneCall, oneByOne, rates, growthMb }: Measured): Report {
  const ratio = rates.bulk / rates.single
  return {
    figures: [
      { what: 'instalments in one call', value: perSecond(rates.bulk), notes: `${inOneCall} due` },
      { what: 'instalments one by one', value: perSecond(rates.single), notes: `${oneByOne} calls` },
      {
        what: 'memory growth in that call',
        value: `${growthMb.toFixed(0)} MB`,
        notes: 'resident, at its peak',
      },
    ],
    verdicts: [
      {
        passes: ratio >= ratioMin,
        sentence: `instalments in one call ÷ one by one: ${ratio.toFixed(1)} (limit ${ratioMin})`,
      },
      {
        passes: growthMb < growthMbMax,
        sentence: `memory growth: ${growthMb.toFixed(0)} MB (limit ${growthMbMax})`,
      },
    ],
    details: { inOneCall, oneByOne, rates, ratio, growthMb },
  }
}

export const schedulesScenario: Scenario = {
  name: 'schedules',
  extents: ['smoke', 'quick', 'full'],
  quickSeconds: 60,
  run,
}

type Client = { readonly db: Database; readonly call: (path: string, body: object) => Promise<unknown> }

type Headers = Readonly<Record<string, string>>

async function send(url: string, body: object, headers: Headers): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return answer.json()
}

async function signIn({ baseUrl, sandbox, db }: Gateway): Promise<Client> {
  const credentials = { AcctCode: sandbox.acctCode, Token: sandbox.token }
  const signedIn = await send(`${baseUrl}/APIcardProcService/v1.0.0/Authenticate`, credentials, {})
  const { SessKey } = Parse(SignedIn, signedIn).AuthenticateResult
  return { db, call: (path, body) => send(`${baseUrl}${root}${path}`, body, { SessKey }) }
}

const SignedIn = Type.Object({ AuthenticateResult: Type.Object({ SessKey: Type.String() }) })
const Created = Type.Object({ ConsentRecurring_CreateResult: Type.Object({ ConsentID: Type.Integer() }) })
const Counted = Type.Object({ NumProcessed: Type.Integer(), NumApproved: Type.Integer() })
const Processed = Type.Object({ ProcessScheduledPaymentsResult: Counted })
const Selected = Type.Object({ ProcessScheduledPaymentsSelectiveResult: Counted })

// One plan by the interface, and as many like it as are wished for past the gateway.
async function addDue({ call, db }: Client, count: number): Promise<readonly number[]> {
  const { ConsentID } = Parse(
    Created,
    await call('ConsentRecurring/Create', {
      ccCardInfo: { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2098 },
      ConsentCreator: { MerchID: 1, NumPayments: 1, TotalAmount: 10, Period: 'MONTHLY' },
      AcctHolder: { Firstname: 'Alex', Lastname: 'Reader' },
    }),
  ).ConsentRecurring_CreateResult
  const rows = await db.run(multiplyStatement, [BigInt(ConsentID), count - 1])
  return rows.map((row) => Number(row.instalment_id))
}

// A call that takes longer than half a minute answers before its run is over, so the rows tell when it is.
async function processAll({ call, db }: Client): Promise<number> {
  const began = performance.now()
  Parse(Processed, await call('RecurringSchedule/ProcessScheduledPayments', { MerchID: 1 }))
  for (;;) {
    const [row] = await db.run(countOpenStatement, [])
    if (row?.open === 0n) break
    if (performance.now() - began > runMsMax)
      throw new CheckFailed(`${row?.open} due instalments were not paid in time`)
    await delay(memoryPollMs)
  }
  return performance.now() - began
}

async function timeOneByOne({ call }: Client, ids: readonly number[]): Promise<number> {
  const began = performance.now()
  for (const id of ids) {
    const body = { SchedIDs: [id] }
    const { ProcessScheduledPaymentsSelectiveResult: told } = Parse(
      Selected,
      await call('RecurringSchedule/ProcessScheduledPaymentsSelective', body),
    )
    if (told.NumApproved !== 1) throw new CheckFailed(`Instalment ${id} was not approved`)
  }
  return performance.now() - began
}

// The resident memory at its highest, less what it was at the start.
function watchMemory(processId: number): { end(): void; growthMb(): number } {
  const before = residentMb(processId)
  let highest = before
  const timer = setInterval(() => {
    highest = Math.max(highest, residentMb(processId))
  }, memoryPollMs)
  return { end: () => clearInterval(timer), growthMb: () => highest - before }
}

function residentMb(processId: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${processId}/status`, 'utf8'))
  return Number(match?.[1] ?? 0) / 1_024
}

const analyzeStatement = statement('bench_analyze_plans', [], {}, 'analyze consent, plan, instalment')

const countOpenStatement = statement(
  'bench_count_open_instalments',
  [],
  { open: int8 },
  `select count(*) as open from instalment
   where state = 'charging' or (state = 'scheduled' and attempt_on <= due_on and tries = 0
     and due_on <= (select min(starts_on) from plan))`,
)

const multiplyStatement = statement(
  'bench_multiply_plan',
  [int8, int4],
  { instalment_id: int8 },
  `with agreed as (
     insert into consent (account_id, merchant_number, kind, state, card_id, currency, limit_per_charge_minor,
       limit_lifetime_minor, starts_on, ends_on, days, customer_ref, service, guid, holder_first_name,
       holder_last_name, customer_first_name, customer_last_name, company, email, phone, street, zip,
       network_id, creation_ref, created_by_user, agreed_at, agreed_from, created_at, changed_at)
     select c.account_id, merchant_number, kind, state, card_id, currency, limit_per_charge_minor,
       limit_lifetime_minor, starts_on, ends_on, days, customer_ref, service, guid, holder_first_name,
       holder_last_name, customer_first_name, customer_last_name, company, email, phone, street, zip,
       network_id, creation_ref || '-' || g, created_by_user, agreed_at, agreed_from, created_at, changed_at
     from consent c, generate_series(1, $2::int4) g where consent_id = $1
     returning consent_id
   ), planned as (
     insert into plan (account_id, merchant_number, consent_id, state, period, starts_on, payments, currency,
       agreed_minor, total_minor, payment_minor, created_at, changed_at)
     select p.account_id, p.merchant_number, a.consent_id, p.state, p.period, p.starts_on, p.payments,
       p.currency, p.agreed_minor, p.total_minor, p.payment_minor, p.created_at, p.changed_at
     from plan p, agreed a where p.consent_id = $1
     returning plan_id, consent_id
   ), written as (
     insert into instalment (plan_id, account_id, merchant_number, consent_id, payment_number, state, due_on,
       attempt_on, collect_on, amount_minor, currency, because, created_at, changed_at)
     select n.plan_id, i.account_id, i.merchant_number, n.consent_id, 1, i.state, i.due_on, i.attempt_on,
       i.collect_on, i.amount_minor, i.currency, i.because, i.created_at, i.changed_at
     from instalment i, planned n where i.consent_id = $1
     returning instalment_id
   )
   select instalment_id from written
   union all
   select instalment_id from instalment where consent_id = $1`,
)
