import type pg from 'pg'
import type { LogRow } from '../../simulator/bank-log.ts'

// I10 and I11 for batches, by the tables and the bank's log alone: knows nothing of the code that it checks.

type BatchRow = {
  readonly batch_id: string
  readonly account_id: string
  readonly state: string
  readonly acquirer_ref: string
  readonly item_count: number
  readonly net: string
  readonly rows: string
  readonly row_net: string
  readonly foreign_rows: string
  readonly unfit_rows: string
}

const batches = `
select t.batch_id, t.account_id, t.state, t.acquirer_ref, t.item_count,
  t.sales_minor - t.credits_minor as net,
  count(p.*) as rows,
  coalesce(sum(case p.kind when 'credit' then -p.total_minor else p.total_minor end), 0) as row_net,
  count(*) filter (where p.account_id <> t.account_id or p.merchant_number <> t.merchant_number)
    as foreign_rows,
  count(*) filter (where p.status <> 'open' or p.total_minor <= 0) as unfit_rows
from batch t left join batch_item i using (batch_id) left join payment p using (payment_id)
group by t.batch_id order by t.batch_id`

const twice = `
select payment_id from batch_item join batch using (batch_id) where state = 'accepted'
group by payment_id having count(*) > 1`

const numbers = `
select account_id, count(*) as used, max(batch_number) as last from batch group by account_id
having count(*) <> max(batch_number)`

const left = `
select count(*) as unsettled from payment p
where kind in ('sale', 'credit') and status = 'open' and total_minor > 0
  and not exists (select 1 from batch_item b where b.payment_id = p.payment_id)`

export async function findBatchViolations(
  client: pg.Client,
  bank: readonly LogRow[],
): Promise<{ readonly violations: readonly string[]; readonly unsettled: number }> {
  const { rows } = await client.query<BatchRow>(batches)
  const accepted = new Map(
    bank
      .filter(({ verb, reply, isRepeat }) => verb === 'settle' && reply.outcome === 'approved' && !isRepeat)
      .map(({ ref, reply }) => [ref, reply.approvedMinor]),
  )
  const { rows: double } = await client.query<{ payment_id: string }>(twice)
  const { rows: holes } = await client.query<{ account_id: string; used: string; last: number }>(numbers)
  const { rows: open } = await client.query<{ unsettled: string }>(left)
  const known = new Set(rows.map(({ acquirer_ref }) => acquirer_ref))
  return {
    unsettled: Number(open[0]?.unsettled),
    violations: [
      ...rows.flatMap((row) => checkBatch(row, accepted)),
      ...double.map(({ payment_id }) => `I11 ${payment_id} is in two accepted batches`),
      ...holes.map(
        ({ account_id, used, last }) => `I11 account ${account_id} used ${used} numbers up to ${last}`,
      ),
      ...[...accepted.keys()]
        .filter((ref) => !known.has(ref))
        .map((ref) => `I11 the bank has accepted ${ref}, which we do not know`),
    ],
  }
}

function checkBatch(row: BatchRow, accepted: ReadonlyMap<string, bigint>): readonly string[] {
  const name = `batch ${row.batch_id}`
  const atBank = accepted.get(row.acquirer_ref)
  const found: string[] = []
  if (Number(row.rows) !== row.item_count)
    found.push(`I11 ${name} has ${row.rows} rows, not ${row.item_count}`)
  if (row.net !== row.row_net) found.push(`I11 ${name} says ${row.net}, its rows say ${row.row_net}`)
  if (Number(row.foreign_rows) > 0) found.push(`I17 ${name} has rows of another merchant record`)
  if (Number(row.unfit_rows) > 0) found.push(`I10 ${name} has rows that are voided, failed or nothing`)
  if ((row.state === 'accepted') !== (atBank !== undefined))
    found.push(`I11 ${name} is ${row.state}, at the bank it is ${atBank === undefined ? 'not ' : ''}accepted`)
  if (atBank !== undefined && atBank !== BigInt(row.net))
    found.push(`I11 ${name} says ${row.net}, the bank accepted ${atBank}`)
  return found
}
