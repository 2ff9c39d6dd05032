import type pg from 'pg'
import { addAccounts, type ManyRecords, placeOf, withoutIndexes, yearUpTo } from './many-records.ts'

const names = 50_000

// What the n-th order is found by. The same rules stand in the SQL below.
export const orderFacts = {
  transaction: (order: number) => `00000000-0000-4000-8000-${String(order).padStart(12, '0')}`,
  lastName: (order: number) => `payer${String(order % names).padStart(5, '0')}`,
  lastFour: (order: number) => String((order * 7) % 10_000).padStart(4, '0'),
  reference: (order: number) => `ref-${order}`,
  amount: (order: number) => `${1 + (order % 5_000)}.50`,
}

// So many orders, three records each.
export async function fillOrders(
  client: pg.Client,
  count: number,
  now: Temporal.Instant,
): Promise<ManyRecords> {
  const account = await addAccounts(client, now, { currency: 'EUR', isInternational: true })
  const many = { account, count, from: yearUpTo(now) }
  await addOrders(client, many)
  await withoutIndexes(client, 'order_record', () => addRecords(client, many))
  await client.query('vacuum analyze card_order, order_record')
  return many
}

async function addOrders(client: pg.Client, { account, count, from }: ManyRecords): Promise<void> {
  await client.query(
    `insert into card_order (order_id, account_id, merchant_number, transaction_id, action, state,
       amount_minor, currency, last_four, brand, expiry, card_token, descriptor, client_ref, guid, origin,
       payer, created_at, changed_at)
     select n, account_id, merchant_number, '00000000-0000-4000-8000-' || lpad(n::text, 12, '0'), 'SALE',
       'settled', (1 + n % 5000) * 100 + 50, 'EUR', lpad((n * 7 % 10000)::text, 4, '0'), 'VI', '12/30',
       repeat('0', 64), 'SHOP', 'ref-' || n, '', 'WID',
       jsonb_build_object('firstName', 'Alex', 'lastName', 'Payer' || lpad((n % ${names})::text, 5, '0'),
         'customerFirstName', '', 'customerLastName', '', 'email', 'alex@example.com', 'phone', '',
         'street', '1 Elm Street', 'city', '', 'state', '', 'zip', '', 'country', ''), at, at
     from (${placeOf}) p`,
    [String(account), count, from.toString()],
  )
}

async function addRecords(client: pg.Client, { account, count, from }: ManyRecords): Promise<void> {
  await client.query(
    `insert into order_record (order_id, account_id, merchant_number, transaction_id, action, result, status,
       amount_minor, amount_mills, currency, approval_code, decline_reason, attempt_ref, last_name,
       first_name, customer_last_name, customer_first_name, client_ref, guid, last_four, consent_id,
       consent_token, origin, awaits_bank, created_at)
     select n, account_id, merchant_number, '00000000-0000-4000-8000-' || lpad(n::text, 12, '0'), 'SALE',
       s.result, s.status, (1 + n % 5000) * 100 + 50, (1 + n % 5000) * 1000 + 500, 'EUR', '', '', '',
       'Payer' || lpad((n % ${names})::text, 5, '0'), 'Alex', '', '', 'ref-' || n, '',
       lpad((n * 7 % 10000)::text, 4, '0'), '', '', 'WID', false, at
     from (${placeOf}) p, (values (1, 'REDIRECT', 'REDIRECT'), (2, 'REDIRECT', '3DS'),
       (3, 'SUCCESS', 'SETTLED')) as s (step, result, status)
     order by n, s.step`,
    [String(account), count, from.toString()],
  )
}
