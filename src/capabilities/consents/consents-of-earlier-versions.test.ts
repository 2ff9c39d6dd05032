import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { migrate } from '#platform/postgres/migrate.ts'
import { makeEarlierDatabase, withClient } from '../../../test/support/earlier-database.ts'
import { testConnection } from '../../../test/support/test-cluster.ts'

// Migration 33 gives consents that were never made a word of their own.

// The state of a consent, the state of the attempt by which it began or none, and what it is afterwards.
const cases: readonly (readonly [state: string, attempt: string | null, after: string])[] = [
  ['active', 'approved', 'active'],
  ['active', null, 'active'],
  ['cancelled', 'approved', 'cancelled'],
  ['cancelled', null, 'cancelled'],
  ['cancelled', 'declined', 'not_made'],
  ['cancelled', 'not_sent', 'not_made'],
  ['cancelled', 'reversed', 'not_made'],
  ['cancelled', 'refused', 'not_made'],
  ['pending', 'unknown', 'pending'],
]

// Without the account, the merchant record and the card that they belong to, which nobody looks at here.
const seed = `
  set session_replication_role = replica;
  insert into consent (account_id, merchant_number, kind, state, currency, limit_per_charge_minor,
    limit_lifetime_minor, starts_on, ends_on, days, customer_ref, service, guid, holder_first_name,
    holder_last_name, customer_first_name, customer_last_name, company, email, phone, street, zip,
    creation_ref, created_by_user, agreed_at, agreed_from, created_at, changed_at)
  select 7, 1, 'A', i.state, 'USD', 100, 1000, '2027-01-15', '2028-01-15', 365, '', '', '', '', '', '', '',
    '', '', '', '', '', 'ref-' || i.id, 1, '2027-01-15', '', '2027-01-15', '2027-01-15'
  from (values ${cases.map(([state], at) => `(${at}, '${state}')`).join(', ')}) as i (id, state)
  order by i.id;
  insert into attempt (account_id, merchant_number, kind, total_minor, fee_minor, currency, acquirer_ref,
    subject_ref, policy, accepts_partial, avs_needed, cvv_needed, following, details, state, fence,
    lease_until, created_at)
  select 7, 1, 'verify', 0, 0, 'USD', 'ref-' || i.id, 'ref-' || i.id, 'resolve', false, 'none', false, '[]',
    '{}', i.state, 1, '2027-01-15', '2027-01-15'
  from (values ${cases.flatMap(([, state], at) => (state ? [`(${at}, '${state}')`] : [])).join(', ')})
    as i (id, state)`

test('consents that were declined before the upgrade are no longer cancelled after it', async () => {
  const name = `test_${randomBytes(6).toString('hex')}`
  await makeEarlierDatabase(name, '0033')
  await withClient(name, (client) => client.query(seed))
  await migrate(testConnection(name))
  const states = `select state from consent order by consent_id`
  const { rows } = await withClient(name, (client) => client.query<{ state: string }>(states))
  assert.deepEqual(
    rows.map(({ state }) => state),
    cases.map(([, , after]) => after),
  )
})
