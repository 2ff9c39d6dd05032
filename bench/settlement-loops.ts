import type pg from 'pg'
import { CheckFailed } from './scenario.ts'

// Other ways to settle a day, which a close is measured against.

// What a loop does: each row is locked against voids and read with its postings, then entered.
export async function rowByRow(client: pg.Client, account: bigint): Promise<void> {
  await inOneTransaction(client, account, async (payment) => {
    const { rows } = await client.query<Compared>({
      name: 'bench_read_row',
      text: readRow,
      values: [payment],
    })
    const [row] = rows
    if (row?.total_minor !== row?.booked || row?.fee_minor !== row?.booked_fee)
      throw new CheckFailed('The books disagree')
    await client.query({ name: 'bench_enter_row', text: enterRow, values: [payment, String(account)] })
  })
}

type Compared = Readonly<Record<'total_minor' | 'fee_minor' | 'booked' | 'booked_fee', string>>

const sumOfPostings = `select
    sum(case 'acquirer' when debit then amount_minor when credit then -amount_minor else 0 end) as booked,
    sum(case 'fees' when credit then amount_minor when debit then -amount_minor else 0 end) as booked_fee
  from posting where attempt_id = p.payment_id and debit <> 'disputes' and credit <> 'disputes'`

const readRow = `select total_minor, fee_minor, booked, booked_fee
  from payment p, lateral (${sumOfPostings}) o
  where payment_id = $1 and kind in ('sale', 'credit') and status = 'open' and taken_by is null
  for update of p`

const enterRow = 'insert into batch_item (payment_id, batch_id) values ($1, -$2::int8)'

// The leanest loop that there can be: one prepared statement a row, and no lock.
export async function leanRowByRow(client: pg.Client, account: bigint): Promise<void> {
  await inOneTransaction(client, account, async (payment) => {
    const values = [payment, String(account)]
    await client.query({ name: 'bench_settle_row', text: settleRow, values })
  })
}

const settleRow = `insert into batch_item (payment_id, batch_id)
  select p.payment_id, -$2::int8 from payment p
  where p.payment_id = $1 and p.kind in ('sale', 'credit') and p.status = 'open' and p.taken_by is null
    and (p.total_minor, p.fee_minor) = (${sumOfPostings})`

async function inOneTransaction(
  client: pg.Client,
  account: bigint,
  settle: (payment: string) => Promise<void>,
): Promise<void> {
  const { rows } = await client.query<{ payment_id: string }>(
    `select payment_id from payment where account_id = $1 and status = 'open' order by payment_id`,
    [String(account)],
  )
  await client.query('begin')
  for (const { payment_id } of rows) await settle(payment_id)
  await client.query('commit')
}

// The other way to remember a batch: a column of the payment.
export async function updateAll(client: pg.Client, account: bigint): Promise<void> {
  await client.query(`update payment set status = 'settled' where account_id = $1 and status = 'open'`, [
    String(account),
  ])
}
