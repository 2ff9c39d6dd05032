import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import { int4 } from '#platform/postgres/column-type.ts'
import type { Database } from '#platform/postgres/database.ts'
import { statement } from '#platform/postgres/statement.ts'
import { checkpoint } from './database-facts.ts'
import { type Gateway, makeHome } from './gateway.ts'
import { type Bench, CheckFailed, type Figure } from './scenario.ts'
import { quantile } from './statistics.ts'

// A day of 100,000 sales is closed through the interface of a running gateway, bank and all, while customers
// go on paying; what they wait for is measured without the close and with it.

const root = '/APIcardProcREST/v1.0.0/'
const tills = 4
// Each till takes its next customer so long after the last one, as tills do.
const pauseMs = 20
const idleMs = 5_000
// No statement may take longer than a few seconds.
const portion = 10_000

export type BesideCharges = {
  readonly callMs: number
  readonly idleMs: readonly number[]
  readonly duringMs: readonly number[]
}

export async function closeBesideCharges(bench: Bench, transactions: number): Promise<BesideCharges> {
  const gateway = await makeHome(bench).start()
  bench.keep(() => gateway.stop())
  const client = await signIn(gateway)
  // One sale by the interface is the pattern of all the others.
  await sell(client)
  await addSales(gateway.db, transactions - 1)
  await checkpoint(gateway.db)
  await bench.waitForQuiet()
  const idle = await sellDuring(client, () => new Promise((resolve) => setTimeout(resolve, idleMs)))
  const during = await sellDuring(client, () => client('Settlement/ExecuteBatch_All', { MerchID: 1 }))
  const { SettlementApproved, BatchResult } = Parse(Settled, during.answer).Settlement_ExecuteBatch_AllResult
  if (!SettlementApproved || BatchResult.BatchTransCount < transactions)
    throw new CheckFailed(`Not all were settled: ${JSON.stringify(during.answer)}`)
  await gateway.stop()
  return { callMs: during.tookMs, idleMs: idle.times, duringMs: during.times }
}

export function figuresOf({ callMs, idleMs: idle, duringMs: during }: BesideCharges): readonly Figure[] {
  return [
    {
      what: 'ExecuteBatch_All of 100,000',
      value: `${callMs.toFixed(0)} ms`,
      notes: 'through the interface, the bank in PostgreSQL',
    },
    {
      what: 'charges meanwhile, p99',
      value: p99(during),
      notes: `${during.length} charges at ${tills} tills`,
    },
    { what: 'charges when idle, p99', value: p99(idle), notes: `${idle.length} charges at ${tills} tills` },
  ]
}

const p99 = (times: readonly number[]): string => `${quantile(times, 0.99).toFixed(0)} ms`

type Client = (path: string, body: object) => Promise<unknown>

const SignedIn = Type.Object({ AuthenticateResult: Type.Object({ SessKey: Type.String() }) })
const Sold = Type.Object({ CreditCardSale_ManualResult: Type.Object({ TxApproved: Type.Boolean() }) })
const Settled = Type.Object({
  Settlement_ExecuteBatch_AllResult: Type.Object({
    SettlementApproved: Type.Boolean(),
    BatchResult: Type.Object({ BatchTransCount: Type.Integer() }),
  }),
})

async function send(url: string, body: object, headers: Readonly<Record<string, string>>): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return answer.json()
}

async function signIn({ baseUrl, sandbox }: Gateway): Promise<Client> {
  const credentials = { AcctCode: sandbox.acctCode, Token: sandbox.token }
  const signedIn = await send(`${baseUrl}/APIcardProcService/v1.0.0/Authenticate`, credentials, {})
  const { SessKey } = Parse(SignedIn, signedIn).AuthenticateResult
  return (path, body) => send(`${baseUrl}${root}${path}`, body, { SessKey })
}

async function sell(client: Client): Promise<void> {
  const sold = await client('CardSale/Manual', {
    MerchID: 1,
    Amounts: { BaseAmt: 10 },
    ccCardInfo: { AccountNumber: '4111111111111111', ExpMonth: 12, ExpYear: 2098, CSV: '123' },
  })
  if (!Parse(Sold, sold).CreditCardSale_ManualResult.TxApproved)
    throw new CheckFailed(`A sale was not approved: ${JSON.stringify(sold)}`)
}

type During = { readonly answer: unknown; readonly tookMs: number; readonly times: readonly number[] }

// What every charge took while something else was done.
async function sellDuring(client: Client, work: () => Promise<unknown>): Promise<During> {
  const times: number[] = []
  const end = { isOver: false }
  const till = async (): Promise<void> => {
    while (!end.isOver) {
      const began = performance.now()
      await sell(client)
      times.push(performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  const began = performance.now()
  const worked = work().finally(() => {
    end.isOver = true
  })
  const [answer, tookMs] = await Promise.all([
    worked,
    worked.then(() => performance.now() - began),
    ...Array.from({ length: tills }, till),
  ])
  return { answer, tookMs, times }
}

// Past the gateway and past the bank, in both of whose books they stand then.
async function addSales(db: Database, count: number): Promise<void> {
  for (let done = 0; done < count; done += portion)
    await db.run(multiplySaleStatement, [Math.min(portion, count - done)])
  await db.run(analyzeStatement, [])
}

const analyzeStatement = statement(
  'bench_analyze_sales',
  [],
  {},
  'analyze attempt, journal, batch_item, bank.standing',
)

const multiplySaleStatement = statement(
  'bench_multiply_sale',
  [int4],
  {},
  `with pattern as (
     select a.* from attempt a where status = 'open' order by attempt_id desc limit 1
   ), numbered as materialized (
     select id, 'bench-' || id as ref
     from (select nextval('attempt_id_seq') as id from generate_series(1, $1::int4)) drawn
   ), sold as (
     insert into attempt (attempt_id, account_id, merchant_number, kind, total_minor, fee_minor, currency,
       acquirer_ref, subject_ref, policy, accepts_partial, avs_needed, cvv_needed, following, details, state,
       fence, lease_until, approved_minor, approved_fee_minor, approval_code, result_code, avs, cvv,
       network_id, created_at, answered_at, status, changed_at)
     select n.id, account_id, merchant_number, kind, total_minor, fee_minor, currency, n.ref, n.ref, policy,
       accepts_partial, avs_needed, cvv_needed, following, details, state, fence, lease_until, approved_minor,
       approved_fee_minor, approval_code, result_code, avs, cvv, network_id, created_at, answered_at, status,
       changed_at
     from pattern, numbered n
   ), posted as (
     insert into journal (attempt_id, account_id, merchant_number, debit, credit, amount_minor, fee_minor,
       currency, created_at)
     select n.id, o.account_id, o.merchant_number, o.debit, o.credit, o.amount_minor, o.fee_minor, o.currency,
       o.created_at
     from pattern p join journal o on o.attempt_id = p.attempt_id, numbered n
   )
   insert into bank.standing (ref, kind, at, digest, original, terminal_id, first_six, last_four, card_mark,
     amount_minor, fee_minor, currency, outcome, code, approved_minor, approval_code, network_id, avs, cvv,
     reason, refunded_minor, batch_ref)
   select n.ref, s.kind, s.at, s.digest, s.original, s.terminal_id, s.first_six, s.last_four, s.card_mark,
     s.amount_minor, s.fee_minor, s.currency, s.outcome, s.code, s.approved_minor, s.approval_code,
     s.network_id, s.avs, s.cvv, s.reason, s.refunded_minor, s.batch_ref
   from pattern p join bank.standing s on s.ref = p.acquirer_ref, numbered n`,
)
