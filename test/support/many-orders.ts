import type pg from 'pg'

// Years of orders, past the gateway: three records each, four fifths of them of one account, a year of them.

export type ManyOrders = {
  // The large one, whose records 1 to 50 are international.
  readonly account: bigint
  readonly orders: number
  readonly from: Temporal.Instant
}

const accounts = 21
const merchants = 50
export const orderNames = 50_000
export const orderDays = 366

// What the n-th order is found by. The same rules stand in the SQL below.
export const orderFacts = {
  transaction: (order: number) => `00000000-0000-4000-8000-${String(order).padStart(12, '0')}`,
  lastName: (order: number) => `payer${String(order % orderNames).padStart(5, '0')}`,
  lastFour: (order: number) => String((order * 7) % 10_000).padStart(4, '0'),
  reference: (order: number) => `ref-${order}`,
  amount: (order: number) => `${1 + (order % 5_000)}.50`,
}

export async function fillOrders(
  client: pg.Client,
  orders: number,
  now: Temporal.Instant,
): Promise<ManyOrders> {
  const from = now.subtract({ hours: 24 * (orderDays - 1) })
  const account = await addAccounts(client, now)
  // Built at the end, they cost a fraction.
  const { rows: indexes } = await client.query<{ name: string; made: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as made from pg_index
     where indrelid = 'order_record'::regclass and not indisprimary`,
  )
  for (const { name } of indexes) await client.query(`drop index ${name}`)
  await addOrders(client, { account, orders, from })
  await addRecords(client, { account, orders, from })
  for (const { made } of indexes) await client.query(made)
  await client.query('vacuum analyze card_order, order_record')
  return { account, orders, from }
}

async function addAccounts(client: pg.Client, now: Temporal.Instant): Promise<bigint> {
  const { rows } = await client.query<{ id: string }>(
    `insert into account (account_code, description, last_merchant_number, created_at, changed_at)
     select 'MO' || lpad(n::text, 7, '0'), 'Many orders', $2, $3, $3 from generate_series(1, $1::int) n
     returning account_id::text as id`,
    [accounts, merchants, now.toString()],
  )
  await client.query(
    `insert into merchant (account_id, merchant_number, name, location, address, terminal_id, time_zone,
       currency, is_international, created_at, changed_at)
     select a.id, n, 'Shop ' || n, '', '', 'T' || n, 'UTC', 'EUR', true, $3, $3
     from unnest($1::int8[]) as a (id), generate_series(1, $2::int) n`,
    [rows.map(({ id }) => id), merchants, now.toString()],
  )
  return BigInt(rows[0]?.id ?? 0)
}

// The owner of order n, and when it was.
const placeOf = `
  select n, $1::int8 + case when n % 5 = 0 then 1 + (n / 5) % ${accounts - 1} else 0 end as account_id,
    1 + n % ${merchants} as merchant_number,
    $3::timestamptz + n * (interval '${orderDays} days' / $2::int8) as at
  from generate_series(1, $2::int8) n`

async function addOrders(client: pg.Client, { account, orders, from }: ManyOrders): Promise<void> {
  await client.query(
    `insert into card_order (order_id, account_id, merchant_number, transaction_id, action, state,
       amount_minor, currency, last_four, brand, expiry, card_token, descriptor, client_ref, guid, origin,
       payer, created_at, changed_at)
     select n, account_id, merchant_number, '00000000-0000-4000-8000-' || lpad(n::text, 12, '0'), 'SALE',
       'settled', (1 + n % 5000) * 100 + 50, 'EUR', lpad((n * 7 % 10000)::text, 4, '0'), 'VI', '12/30',
       repeat('0', 64), 'SHOP', 'ref-' || n, '', 'WID',
       jsonb_build_object('firstName', 'Alex', 'lastName', 'Payer' || lpad((n % ${orderNames})::text, 5, '0'),
         'customerFirstName', '', 'customerLastName', '', 'email', 'alex@example.com', 'phone', '',
         'street', '1 Elm Street', 'city', '', 'state', '', 'zip', '', 'country', ''), at, at
     from (${placeOf}) p`,
    [String(account), orders, from.toString()],
  )
}

async function addRecords(client: pg.Client, { account, orders, from }: ManyOrders): Promise<void> {
  await client.query(
    `insert into order_record (order_id, account_id, merchant_number, transaction_id, action, result, status,
       amount_minor, amount_mills, currency, approval_code, decline_reason, attempt_ref, last_name,
       first_name, customer_last_name, customer_first_name, client_ref, guid, last_four, consent_id,
       consent_token, origin, awaits_bank, created_at)
     select n, account_id, merchant_number, '00000000-0000-4000-8000-' || lpad(n::text, 12, '0'), 'SALE',
       s.result, s.status, (1 + n % 5000) * 100 + 50, (1 + n % 5000) * 1000 + 500, 'EUR', '', '', '',
       'Payer' || lpad((n % ${orderNames})::text, 5, '0'), 'Alex', '', '', 'ref-' || n, '',
       lpad((n * 7 % 10000)::text, 4, '0'), '', '', 'WID', false, at
     from (${placeOf}) p, (values (1, 'REDIRECT', 'REDIRECT'), (2, 'REDIRECT', '3DS'),
       (3, 'SUCCESS', 'SETTLED')) as s (step, result, status)
     order by n, s.step`,
    [String(account), orders, from.toString()],
  )
}
