import type pg from 'pg'
import {
  addAccounts,
  type ManyRecords,
  merchantsEach,
  placeOf,
  withoutIndexes,
  yearUpTo,
} from './many-records.ts'

const names = 400_000
// A record closes after so many payments of all of them, of which a hundred are its own.
const paymentsPerClose = 100 * merchantsEach

// What the n-th payment is found by. The same rules stand in the SQL below.
export const paymentFacts = {
  merchant: (n: number) => 1 + (n % merchantsEach),
  lastName: (n: number) => `payer${String(n % names).padStart(6, '0')}`,
  lastFour: (n: number) => String((n * 7) % 10_000).padStart(4, '0'),
  reference: (n: number) => `order-${n}`,
  secondReference: (n: number) => `basket-${n}`,
  amount: (n: number) => `${10 + (n % 5_000)}.50`,
  batch: (n: number) => 1 + Math.floor(n / paymentsPerClose) * merchantsEach + (n % merchantsEach),
}

// Sales, but one void in ten, which is no payment. Two thirds of those of the large account are settled.
export async function fillPayments(
  client: pg.Client,
  count: number,
  now: Temporal.Instant,
): Promise<ManyRecords> {
  const account = await addAccounts(client, now, { currency: 'USD', isInternational: false })
  const many = { account, count, from: yearUpTo(now) }
  await withoutIndexes(client, 'attempt', () => addPayments(client, many))
  await addBatches(client, many)
  await client.query('vacuum analyze attempt, batch, batch_item')
  return many
}

async function addPayments(client: pg.Client, { account, count, from }: ManyRecords): Promise<void> {
  await client.query(
    `insert into attempt (attempt_id, account_id, merchant_number, kind, total_minor, fee_minor, currency,
       acquirer_ref, subject_ref, policy, accepts_partial, avs_needed, cvv_needed, following, details, state,
       fence, lease_until, approved_minor, created_at, status, changed_at)
     select n, account_id, merchant_number, case when n % 10 = 9 then 'void' else 'sale' end,
       (10 + n % 5000) * 100 + 50, 0, 'USD', 'many-' || n, 'many-' || n, 'resolve', false, 'none', false,
       '[]',
       jsonb_build_object('consentId', n::text, 'lastFour', lpad((n * 7 % 10000)::text, 4, '0'),
         'brand', 'VI', 'expiry', '12/30', 'holderFirstName', 'Alex',
         'holderLastName', 'Payer' || lpad((n % ${names})::text, 6, '0'), 'customerFirstName', '',
         'customerLastName', '', 'service', 'Books', 'clientRef', 'order-' || n, 'guid', 'basket-' || n,
         'user', '', 'userId', '', 'origin', 'API', 'feeDecision', ''),
       'approved', 1, at, (10 + n % 5000) * 100 + 50, at, case when n % 10 = 9 then null else 'open' end, at
     from (${placeOf}) p`,
    [String(account), count, from.toString()],
  )
}

// One after the other, as closes do it.
async function addBatches(client: pg.Client, { account, count }: ManyRecords): Promise<void> {
  const closes = Math.floor((count * 2) / 3 / paymentsPerClose)
  await client.query(
    `insert into batch (batch_id, account_id, merchant_number, batch_number, state, acquirer_ref, tx_lock,
       currency, item_count, sales_minor, credits_minor, card_count, card_net_minor, fence, lease_until,
       created_by, opened_at, closed_at, finished_at)
     select b, $1, 1 + (b - 1) % ${merchantsEach}, b, 'accepted', 'many-' || b,
       upper(lpad(to_hex(b), 16, '0')), 'USD', 100, 1000, 0, 100, 1000, 1, now(), 'many', now(), now(), now()
     from generate_series(1, $2::int8) b`,
    [String(account), closes * merchantsEach],
  )
  await client.query(
    `insert into batch_item (payment_id, batch_id)
     select attempt_id,
       1 + attempt_id / ${paymentsPerClose} * ${merchantsEach} + attempt_id % ${merchantsEach}
     from attempt where account_id = $1 and status = 'open' and attempt_id < $2::int8
     order by 2, 1`,
    [String(account), closes * paymentsPerClose],
  )
}
