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
  readonly card_net: string
  readonly wrong_debits: string
  readonly has_file: boolean
  readonly foreign_rows: string
  readonly unfit_rows: string
}

const batches = `
select t.batch_id, t.account_id, t.state, t.acquirer_ref, t.item_count,
  t.sales_minor - t.credits_minor as net,
  c.rows + d.rows as rows, c.net + d.net as row_net, c.net as card_net,
  c.foreign_rows + d.foreign_rows as foreign_rows, c.unfit_rows, d.wrong_debits,
  exists (select 1 from bank_file f where f.batch_id = t.batch_id and f.accepted_at is not null) as has_file
from batch t
cross join lateral (
  select count(*) as rows,
    coalesce(sum(case p.kind when 'credit' then -p.total_minor else p.total_minor end), 0) as net,
    count(*) filter (where p.account_id <> t.account_id or p.merchant_number <> t.merchant_number)
      as foreign_rows,
    count(*) filter (where p.status <> 'open' or p.total_minor <= 0) as unfit_rows
  from batch_item i left join payment p using (payment_id) where i.batch_id = t.batch_id
) c
cross join lateral (
  select count(*) as rows,
    coalesce(sum(case i.kind when 'credit' then -i.total_minor else i.total_minor end), 0) as net,
    count(*) filter (where i.account_id <> t.account_id or i.merchant_number <> t.merchant_number)
      as foreign_rows,
    count(*) filter (where (i.status = 'settled') <> (t.state = 'accepted')) as wrong_debits
  from bank_item i where i.batch_id = t.batch_id
) d
order by t.batch_id`

const twice = `
select payment_id from batch_item join batch using (batch_id) where state = 'accepted'
group by payment_id having count(*) > 1`

const numbers = `
select account_id, count(*) as used, max(batch_number) as last from batch group by account_id
having count(*) <> max(batch_number)`

const left = `
select count(*) + (select count(*) from bank_item where status = 'open') as unsettled from payment p
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
  const isReleased = row.state === 'released'
  if (Number(row.rows) !== (isReleased ? 0 : row.item_count))
    found.push(`I11 ${name} has ${row.rows} rows, not ${isReleased ? 0 : row.item_count}`)
  if (!isReleased && row.net !== row.row_net)
    found.push(`I11 ${name} says ${row.net}, its rows say ${row.row_net}`)
  if (Number(row.foreign_rows) > 0) found.push(`I17 ${name} has rows of another merchant record`)
  if (Number(row.unfit_rows) > 0) found.push(`I10 ${name} has rows that are voided, failed or nothing`)
  if ((row.state === 'accepted') !== (atBank !== undefined))
    found.push(`I11 ${name} is ${row.state}, at the bank it is ${atBank === undefined ? 'not ' : ''}accepted`)
  if (atBank !== undefined && atBank !== BigInt(row.card_net))
    found.push(`I11 ${name} has cards for ${row.card_net}, the bank accepted ${atBank}`)
  if (Number(row.wrong_debits) > 0)
    found.push(`I11 ${name} is ${row.state}, and its bank debits say otherwise`)
  if (row.has_file !== (row.state === 'accepted' && row.net !== row.card_net))
    found.push(`I11 ${name} is ${row.state} and has ${row.has_file ? 'a' : 'no'} file`)
  return found
}
