import type pg from 'pg'

// A year of records made past the gateway, all but every fifth of one account.
export type ManyRecords = {
  readonly account: bigint
  readonly count: number
  readonly from: Temporal.Instant
}

const accounts = 21
export const merchantsEach = 50
export const daysOfRecords = 366

export function yearUpTo(now: Temporal.Instant): Temporal.Instant {
  return now.subtract({ hours: 24 * (daysOfRecords - 1) })
}

// Owner, merchant record and time of the n-th. $1: the large account, whose id is the lowest. $2: how many.
// $3: from when.
export const placeOf = `
  select n, $1::int8 + case when n % 5 = 0 then 1 + (n / 5) % ${accounts - 1} else 0 end as account_id,
    1 + n % ${merchantsEach} as merchant_number,
    $3::timestamptz + n * (interval '${daysOfRecords} days' / $2::int8) as at
  from generate_series(1, $2::int8) n`

type Merchants = { readonly currency: string; readonly isInternational: boolean }

// Answers the large one.
export async function addAccounts(
  client: pg.Client,
  now: Temporal.Instant,
  { currency, isInternational }: Merchants,
): Promise<bigint> {
  const { rows } = await client.query<{ id: string }>(
    `insert into account (account_code, description, last_merchant_number, created_at, changed_at)
     select 'MR' || lpad(n::text, 7, '0'), 'Many records', $2, $3, $3 from generate_series(1, $1::int) n
     returning account_id::text as id`,
    [accounts, merchantsEach, now.toString()],
  )
  await client.query(
    `insert into merchant (account_id, merchant_number, name, location, address, terminal_id, time_zone,
       currency, is_international, created_at, changed_at)
     select a.id, n, 'Shop ' || n, '', '', 'T' || n, 'UTC', $4, $5, $3, $3
     from unnest($1::int8[]) as a (id), generate_series(1, $2::int) n`,
    [rows.map(({ id }) => id), merchantsEach, now.toString(), currency, isInternational],
  )
  return BigInt(rows[0]?.id ?? 0)
}

// Indexes that are built at the end cost a fraction. Those that keep rows apart stay.
export async function withoutIndexes(
  client: pg.Client,
  table: string,
  fill: () => Promise<void>,
): Promise<void> {
  const { rows: indexes } = await client.query<{ name: string; made: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as made from pg_index
     where indrelid = $1::regclass and not indisunique`,
    [table],
  )
  for (const { name } of indexes) await client.query(`drop index ${name}`)
  await fill()
  for (const { made } of indexes) await client.query(made)
}
