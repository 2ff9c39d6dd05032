import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import {
  closeOrTakeBatch,
  type ClosingOrder,
  type Needs,
} from '#capabilities/settlement/close-batch.operation.ts'
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
import { type Bench, CheckFailed, type Report, type Scenario } from './scenario.ts'
import { median } from './statistics.ts'

const transactions = 100_000

// Closing a day of 100,000 transactions against doing the same row by row in one transaction.
export const settlementScenario: Scenario = {
  name: 'settlement',
  extents: ['quick', 'full'],
  quickSeconds: 60,
  run: measureSettlement,
}

type Round = {
  readonly closeMs: number
  readonly wholeMs: number
  readonly rowByRowMs: number
  readonly updateMs: number
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
      rounds.push(await measureRound(client, needs))
    }
    return reportOf(rounds)
  } finally {
    await db.close()
    await client.end()
  }
}

const quiet = () => undefined

function engineOn(db: Needs['db']): Omit<Needs, 'batchCompanions'> {
  const bank = new Bank({ log: openMemoryLog({ keepsRows: false }) })
  return paymentEngine({
    db,
    clock: systemClock,
    accountClock: new AccountClocks(systemClock),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    acquirer: acceptingAcquirer(simulatorAcquirer({ bank })),
    followers: [parentFollower],
    patience: usualPatience,
    crashpoint: quiet,
  })
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

function orderOf(account: bigint): ClosingOrder {
  const record = {
    accountId: accountId(account),
    merchantNumber: merchantNumber(1),
    currency: dollars(),
  }
  return { record, ids: null, callerKey: null, by: 'bench' }
}

async function measureRound(client: pg.Client, needs: Needs): Promise<Round> {
  const rowByRowMs = await timed(async () => rowByRow(client, await seed(client)))
  const updateMs = await timed(async () => updateAll(client, await seed(client)))
  const account = await seed(client)
  const began = performance.now()
  const closed = await closeOrTakeBatch(needs, orderOf(account))
  const closeMs = performance.now() - began
  if (!closed.ok || closed.value?.itemCount !== transactions) throw new CheckFailed('Not all were closed')
  const sent = await conductBatch(needs, closed.value, { terminalId: 'T1', merchantName: 'Bench' })
  const wholeMs = performance.now() - began
  if (!sent.ok || sent.value.remaining !== 0) throw new CheckFailed('Not all were settled')
  return { closeMs, wholeMs, rowByRowMs, updateMs }
}

// The seeding is not part of what is timed.
let seedMs = 0

async function timed(work: () => Promise<void>): Promise<number> {
  seedMs = 0
  const began = performance.now()
  await work()
  return performance.now() - began - seedMs
}

// A fresh account with a day of sales as charges would have left it.
async function seed(client: pg.Client): Promise<bigint> {
  const began = performance.now()
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
       insert into payment (payment_id, account_id, merchant_number, kind, status, total_minor, fee_minor,
         currency, acquirer_ref, approval_code, result_code, avs, cvv, is_partial, details,
         created_at, changed_at)
       select nextval('attempt_id_seq'), $1::int8, 1, 'sale', 'open', 1000 + i, 0, 'USD',
         md5(i::text || $1::int8), '123456', '123456', '', '', false, $2, now(), now()
       from generate_series(1, ${transactions}) i
       returning payment_id, total_minor
     )
     insert into posting (attempt_id, account_id, merchant_number, debit, credit, amount_minor, currency,
       created_at)
     select payment_id, $1, 1, 'acquirer', 'merchant', total_minor, 'USD', now() from sold`,
    [account, details],
  )
  await client.query('analyze payment, posting, batch_item')
  await client.query('checkpoint')
  seedMs += performance.now() - began
  return BigInt(account)
}

// What a loop would do: each row looked at, compared with the books and entered.
async function rowByRow(client: pg.Client, account: bigint): Promise<void> {
  const { rows } = await client.query<{ payment_id: string }>(
    `select payment_id from payment where account_id = $1 and status = 'open' order by payment_id`,
    [String(account)],
  )
  await client.query('begin')
  for (const { payment_id } of rows) {
    await client.query({
      name: 'bench_settle_row',
      text: `insert into batch_item (payment_id, batch_id)
        select p.payment_id, -$2::int8 from payment p
        where p.payment_id = $1 and p.status = 'open' and p.taken_by is null and p.total_minor =
          (select sum(amount_minor) from posting where attempt_id = p.payment_id)`,
      values: [payment_id, String(account)],
    })
  }
  await client.query('commit')
}

// The other way to remember a batch: a column of the payment.
async function updateAll(client: pg.Client, account: bigint): Promise<void> {
  await client.query(`update payment set status = 'settled' where account_id = $1 and status = 'open'`, [
    String(account),
  ])
}

function reportOf(rounds: readonly Round[]): Report {
  const of = (pick: (round: Round) => number) => median(rounds.map(pick))
  const ratio = of(({ rowByRowMs, closeMs }) => rowByRowMs / closeMs)
  const whole = of(({ rowByRowMs, wholeMs }) => rowByRowMs / wholeMs)
  return {
    figures: [
      {
        what: 'close 100,000 transactions',
        value: ms(of(({ closeMs }) => closeMs)),
        notes: 'compared with the books',
      },
      {
        what: 'the whole call',
        value: ms(of(({ wholeMs }) => wholeMs)),
        notes: 'items read, hashed, sent, recorded',
      },
      {
        what: 'row by row in one transaction',
        value: ms(of(({ rowByRowMs }) => rowByRowMs)),
        notes: 'the yardstick',
      },
      {
        what: 'UPDATE of all payments',
        value: ms(of(({ updateMs }) => updateMs)),
        notes: 'not compared with the books',
      },
    ],
    verdicts: [
      {
        passes: ratio >= 15,
        sentence: `closing is ${ratio.toFixed(0)} times as fast as row by row (15 or more)`,
      },
      { passes: whole >= 5, sentence: `the whole call is ${whole.toFixed(0)} times as fast (5 or more)` },
    ],
    details: { transactions, rounds },
  }
}

function ms(value: number): string {
  return `${value.toFixed(0)} ms`
}

function dollars() {
  const currency = currencyCode('USD')
  if (!currency) throw new CheckFailed('No dollars')
  return currency
}
