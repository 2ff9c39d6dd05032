import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import {
  closeOrTakeBatch,
  type ClosingWish,
  type Needs,
} from '#capabilities/settlement/close-batch.operation.ts'
import type { Batch } from '#capabilities/settlement/batch.ts'
import { conductBatch } from '#capabilities/settlement/send-batch.operation.ts'
import { AccountClocks } from '#engine/account-clock/account-clock.ts'
import type { Acquirer } from '#engine/acquirers/acquirer.ts'
import { simulatorAcquirer } from '#engine/acquirers/simulator.connector.ts'
import { parentFollower } from '#engine/payments/parent.follower.ts'
import { paymentEngine } from '#engine/payments/payment-engine.operation.ts'
import { usualPatience } from '#engine/payments/payment-needs.ts'
import { currencyCode } from '#kernel/currency.ts'
import { accountId, merchantNumber } from '#kernel/ids.ts'
import { systemClock } from '#platform/clock.ts'
import { openDatabase } from '#platform/postgres/database.ts'
import { startEmbeddedServer } from '#platform/postgres/embedded-server.ts'
import { migrate } from '#platform/postgres/migrate.ts'
import { Bank } from '../simulator/bank.ts'
import { openMemoryLog } from '../simulator/memory-log.ts'
import { type BesideCharges, closeBesideCharges, figuresOf } from './close-beside-charges.ts'
import { familyMs, hasProcessorTime, processMs } from './processor-time.ts'
import { type Bench, CheckFailed, type Report, type Scenario, type Verdict } from './scenario.ts'
import { leanRowByRow, rowByRow, updateAll } from './settlement-loops.ts'
import { median } from './statistics.ts'

const transactions = 100_000
const ratioMin = 15

// Closing a day of 100,000 transactions against doing the same row by row in one transaction.
export const settlementScenario: Scenario = {
  name: 'settlement',
  extents: ['quick', 'full'],
  quickSeconds: 60,
  run: measureSettlement,
}

// By the clock, and by the processor time of the database and its client, which other programs disturb less.
type Cost = { readonly ms: number; readonly processorMs: number }

type Round = {
  readonly close: Cost
  readonly whole: Cost
  readonly rowByRow: Cost
  readonly leanRowByRow: Cost
  readonly update: Cost
}

async function measureSettlement(bench: Bench): Promise<Report> {
  const folder = await mkdtemp(join(tmpdir(), 'tillgate-bench-'))
  const server = await startEmbeddedServer({ folder })
  bench.keep(async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })
  const connection = { host: server.socketFolder, user: 'tillgate', database: 'postgres' }
  await migrate(connection)
  const client = new pg.Client(connection)
  await client.connect()
  const db = openDatabase(connection, { sizeMax: 4, onIdleError: () => undefined })
  try {
    const needs = { ...engineOn(db), batchCompanions: [] }
    const rounds: Round[] = []
    const roundsInAll = bench.extent.name === 'full' ? 3 : 1
    for (let round = 1; round <= roundsInAll; round += 1) {
      bench.say(`Settlement, round ${round} of ${roundsInAll}`)
      rounds.push(await measureRound({ client, needs, postmasterId: server.processId }))
    }
    bench.say('Settlement through the interface, beside charges')
    return reportOf(rounds, await closeBesideCharges(bench, transactions))
  } finally {
    await db.close()
    await client.end()
  }
}

const quiet = () => undefined

function engineOn(db: Needs['db']): Omit<Needs, 'batchCompanions'> {
  const bank = new Bank({ log: openMemoryLog({ keepsRows: false }) })
  const engine = paymentEngine({
    db,
    batchDb: db,
    clock: systemClock,
    accountClock: new AccountClocks(systemClock),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    acquirer: acceptingAcquirer(simulatorAcquirer({ bank })),
    followers: [parentFollower],
    patience: usualPatience,
    crashpoint: quiet,
  })
  return { ...engine, sending: { hold: null } }
}

// The bank has not seen these sales, so it takes every batch as it comes: only our side is measured.
function acceptingAcquirer(acquirer: Acquirer): Acquirer {
  return {
    ...acquirer,
    settle: async () => ({
      kind: 'approved',
      approvalCode: 'BENCH1',
      amount: { minor: 0n, currency: dollars() },
      checks: { avs: '', cvv: '' },
      networkId: '',
    }),
  }
}

function closingOf(account: bigint): ClosingWish {
  const record = {
    accountId: accountId(account),
    merchantNumber: merchantNumber(1),
    currency: dollars(),
  }
  return { record, ids: null, callerKey: null, by: 'bench' }
}

type Ground = { readonly client: pg.Client; readonly needs: Needs; readonly postmasterId: number }

async function measureRound({ client, needs, postmasterId }: Ground): Promise<Round> {
  const cost = (work: () => Promise<void>) => costOf(postmasterId, work)
  // Each has a day of its own.
  const loop = await seed(client)
  const loopCost = await cost(() => rowByRow(client, loop))
  const leanLoop = await seed(client)
  const leanCost = await cost(() => leanRowByRow(client, leanLoop))
  const updated = await seed(client)
  const update = await cost(() => updateAll(client, updated))
  const closedAtOnce = await seed(client)
  let held: Batch | null = null
  const close = await cost(async () => {
    const closed = await closeOrTakeBatch(needs, closingOf(closedAtOnce))
    held = closed.ok ? closed.value : null
  })
  const rest = await cost(() => send(needs, held))
  const whole = { ms: close.ms + rest.ms, processorMs: close.processorMs + rest.processorMs }
  return { close, whole, rowByRow: loopCost, leanRowByRow: leanCost, update }
}

async function send(needs: Needs, batch: Batch | null): Promise<void> {
  if (batch?.itemCount !== transactions) throw new CheckFailed('Not all were closed')
  const sent = await conductBatch(needs, batch, { terminalId: 'T1', merchantName: 'Bench' })
  if (!sent.ok || sent.value.remaining !== 0) throw new CheckFailed('Not all were settled')
}

async function costOf(postmasterId: number, work: () => Promise<void>): Promise<Cost> {
  const spent = () => familyMs(postmasterId) + processMs(process.pid)
  const [began, before] = [performance.now(), spent()]
  await work()
  return { ms: performance.now() - began, processorMs: spent() - before }
}

// A fresh account with a day of sales as charges would have left it.
async function seed(client: pg.Client): Promise<bigint> {
  const { rows } = await client.query<{ account_id: string }>(
    `insert into account (account_code, description, created_at, changed_at)
     select 'BN' || lpad((count(*) + 1)::text, 7, '0'), '', now(), now() from account returning account_id`,
  )
  const account = rows[0]?.account_id
  if (account === undefined) throw new CheckFailed('No account')
  await client.query(
    `insert into merchant (account_id, merchant_number, name, location, address, terminal_id, time_zone,
       currency, created_at, changed_at) values ($1, 1, 'Bench', '', '', 'T1', 'UTC', 'USD', now(), now())`,
    [account],
  )
  const details = JSON.stringify({
    clientRef: 'order-1',
    lastFour: '1111',
    holderLastName: 'Miller',
    guid: '',
  })
  await client.query(
    `with sold as (
       insert into attempt (account_id, merchant_number, kind, total_minor, fee_minor, currency, acquirer_ref,
         subject_ref, policy, accepts_partial, avs_needed, cvv_needed, following, details, state, fence,
         lease_until, approved_minor, approval_code, result_code, created_at, answered_at, status, changed_at)
       select $1::int8, 1, 'sale', 1000 + i, 0, 'USD', r.ref, r.ref,
         'resolve', false, 'none', false, '[]', $2, 'approved', 1, now(), 1000 + i, '123456', '123456', now(),
         now(), 'open', now()
       from generate_series(1, ${transactions}) i, lateral (select md5(i || ' of ' || $1::int8) as ref) r
       returning attempt_id, approved_minor
     )
     insert into journal (attempt_id, account_id, merchant_number, debit, credit, amount_minor, currency,
       created_at)
     select attempt_id, $1, 1, 'acquirer', 'merchant', approved_minor, 'USD', now() from sold`,
    [account, details],
  )
  await client.query('analyze attempt, journal, batch_item')
  await client.query('checkpoint')
  return BigInt(account)
}

function reportOf(rounds: readonly Round[], beside: BesideCharges): Report {
  const of = (pick: (round: Round) => Cost): Cost => ({
    ms: median(rounds.map((round) => pick(round).ms)),
    processorMs: median(rounds.map((round) => pick(round).processorMs)),
  })
  const yardstick = of(({ rowByRow: cost }) => cost)
  const close = of((round) => round.close)
  const figures = [
    { what: 'close 100,000 transactions', cost: close, notes: 'compared with the books' },
    { what: 'and send them', cost: of(({ whole }) => whole), notes: 'items read, hashed, sent, recorded' },
    { what: 'row by row in one transaction', cost: yardstick, notes: 'locked, compared, entered' },
    { what: 'the same, a statement a row', cost: of((round) => round.leanRowByRow), notes: 'without locks' },
    {
      what: 'UPDATE of all payments',
      cost: of(({ update }) => update),
      notes: 'not compared with the books',
    },
  ]
  return {
    figures: [
      ...figures.map(({ what, cost, notes }) => ({
        what,
        value: `${cost.ms.toFixed(0)} ms`,
        notes: `${notes}; ${hasProcessorTime ? `${cost.processorMs.toFixed(0)} ms of processor time` : ''}`,
      })),
      ...figuresOf(beside),
    ],
    verdicts: [verdictOn(close, yardstick)],
    details: { transactions, rounds, beside },
  }
}

function verdictOn(close: Cost, yardstick: Cost): Verdict {
  const byClock = yardstick.ms / close.ms
  const ratio = hasProcessorTime ? yardstick.processorMs / close.processorMs : byClock
  const how = hasProcessorTime ? `by processor time; ${byClock.toFixed(1)} by the clock` : 'by the clock'
  return {
    passes: ratio >= ratioMin,
    sentence: `closing is ${ratio.toFixed(1)} times as fast as row by row, ${how} (limit ${ratioMin})`,
  }
}

function dollars() {
  const currency = currencyCode('USD')
  if (!currency) throw new CheckFailed('No dollars')
  return currency
}
