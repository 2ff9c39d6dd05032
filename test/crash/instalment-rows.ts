import { assert } from '#kernel/assert.ts'
import type { Stage } from './lane.ts'

// A plan of one payment, down to the rows that its follower reads.
export async function addInstalment({ client, account, time }: Stage, minor: bigint): Promise<bigint> {
  const { rows } = await client.query<{ id: string }>(
    `with caller as (
       insert into api_user (account_id, alias, created_by, created_at) values ($1, 'till', 'test', $2)
       returning api_user_id
     ), card as (
       insert into vault_card (account_id, ciphertext, first_six, last_four, number_length, brand, kind,
         exp_month, exp_year, created_at)
       values ($1, '\\x00', '411111', '1111', 16, 'VI', 'credit', 12, 2040, $2) returning card_id
     ), agreed as (
       insert into consent (account_id, merchant_number, kind, state, card_id, currency,
         limit_per_charge_minor, limit_lifetime_minor, starts_on, ends_on, days, customer_ref, service, guid,
         holder_first_name, holder_last_name, customer_first_name, customer_last_name, company, email, phone,
         street, zip, creation_ref, created_by_user, agreed_at, agreed_from, created_at, changed_at)
       select $1, 1, 'R', 'active', card_id, 'USD', 1000000000, 1000000000, '2020-01-01', '9999-12-31', 1,
         '', '', '', '', '', '', '', '', '', '', '', '', 'plan-' || $1::text, api_user_id, $2, '', $2, $2
       from card, caller returning consent_id
     ), planned as (
       insert into plan (account_id, merchant_number, consent_id, state, period, starts_on, payments,
         currency, agreed_minor, total_minor, payment_minor, created_at, changed_at)
       select $1, 1, consent_id, 'active', 'MONTHLY', '2027-01-15', 1, 'USD', $3, $3, $3, $2, $2 from agreed
       returning plan_id, consent_id
     )
     insert into instalment (plan_id, account_id, merchant_number, consent_id, payment_number, state, due_on,
       attempt_on, collect_on, amount_minor, currency, because, created_at, changed_at)
     select plan_id, $1, 1, consent_id, 1, 'scheduled', '2027-01-15', '2027-01-15', '2027-01-15', $3, 'USD',
       '', $2, $2
     from planned returning instalment_id::text as id`,
    [String(account), time.now().toString(), String(minor)],
  )
  const [row] = rows
  assert(row, 'what is inserted comes back')
  return BigInt(row.id)
}

export async function readInstalment(
  { client }: Stage,
  id: bigint,
): Promise<{ readonly state: string; readonly attempts: number }> {
  const { rows } = await client.query<{ state: string; attempts: string }>(
    'select state, attempts::text from instalment where instalment_id = $1',
    [String(id)],
  )
  const [row] = rows
  assert(row, 'an instalment stays')
  return { state: row.state, attempts: Number(row.attempts) }
}
