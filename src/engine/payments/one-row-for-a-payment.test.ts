import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import pg from 'pg'
import { migrate, migrationFolder } from '#platform/postgres/migrate.ts'
import { administer, testConnection } from '../../../test/support/test-cluster.ts'

// Migration 28 takes the table of payments into the table of attempts.

// A sale that is credited in part, a part of one, a decline, a voided sale with its void, a credit that is
// under way, and an attempt without an outcome.
const attempts = `
  insert into attempt (attempt_id, account_id, merchant_number, kind, parent_id, total_minor, fee_minor,
    currency, acquirer_ref, subject_ref, policy, accepts_partial, avs_needed, cvv_needed, following,
    details, state, fence, lease_until, approved_minor, approved_fee_minor, approval_code, result_code,
    avs, cvv, created_at)
  select i.id, 7, 1, i.kind, i.parent, 1030, 30, 'USD', 'ref-' || i.id, 'ref-' || i.id, 'resolve', true,
    'none', false, '[]', jsonb_build_object('clientRef', 'order ' || i.id, 'lastFour', '1111'), i.state,
    1, '2027-01-15', i.approved, i.fee, i.code, i.result, 'Y', 'M', '2027-01-15T10:00Z'
  from (values
    (1, 'sale', null::int8, 'approved', 1030, 30, 'A1', '00'),
    (2, 'sale', null, 'partial', 515, 15, 'A2', '10'),
    (3, 'sale', null, 'declined', 0, 0, '', '05'),
    (4, 'sale', null, 'approved', 1030, 30, 'A4', '00'),
    (5, 'void', 4, 'approved', 1030, 30, 'A5', '00'),
    (6, 'credit', 1, 'approved', 200, 6, 'A6', '00'),
    (7, 'credit', 1, 'sending', 0, 0, '', ''),
    (8, 'sale', null, 'unknown', 0, 0, '', '')
  ) as i (id, kind, parent, state, approved, fee, code, result)`
// What migration 27 leaves of them.
const payments = `
  insert into payment (payment_id, account_id, merchant_number, kind, parent_id, status, total_minor,
    fee_minor, currency, acquirer_ref, approval_code, result_code, avs, cvv, is_partial, details,
    taken_by, created_at, changed_at, credited_minor, credited_fee_minor)
  select a.attempt_id, account_id, merchant_number, kind, parent_id, i.status,
    case i.status when 'failed' then total_minor else approved_minor end,
    case i.status when 'failed' then fee_minor else approved_fee_minor end,
    currency, acquirer_ref, approval_code, result_code, avs, cvv, state = 'partial', details, i.taken_by,
    created_at, '2027-01-15T10:00:01Z', i.credited, i.credited_fee
  from attempt a join (values
    (1, 'open', 'ref-7', 200, 6),
    (2, 'open', null, 0, 0),
    (3, 'failed', null, 0, 0),
    (4, 'void', 'ref-5', 0, 0),
    (6, 'settled', null, 0, 0)
  ) as i (id, status, taken_by, credited, credited_fee) on i.id = a.attempt_id`

// How version 0027 moved an attempt that was sent and wrote its payment, for one of each.
const moveOfOlderNode = `
  with moved as (
    update attempt a set state = 'approved', approved_minor = 1030, approved_fee_minor = 30,
      approval_code = 'A8', result_code = '00'
    where attempt_id = 8
    returning a.*, 'open' as payment_status
  ), paid as (
    insert into payment (payment_id, account_id, merchant_number, kind, parent_id, status, total_minor,
      fee_minor, currency, acquirer_ref, approval_code, result_code, avs, cvv, is_partial, details,
      created_at, changed_at)
    select attempt_id, account_id, merchant_number, kind, parent_id, payment_status, approved_minor,
      approved_fee_minor, currency, acquirer_ref, approval_code, result_code, avs, cvv, false, details,
      created_at, '2027-01-15T10:00:02Z'
    from moved
  )
  select count(*)::int4 as moved from moved`

const seededName = `test_${randomBytes(6).toString('hex')}`

async function seedBefore(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'tillgate-migrations-'))
  const earlier = (await readdir(migrationFolder)).filter((name) => name < '0028')
  await Promise.all(earlier.map((name) => cp(join(migrationFolder, name), join(folder, name))))
  await administer(`create database ${seededName}`)
  await migrate(testConnection(seededName), folder)
  await rm(folder, { recursive: true })
  await withClient(seededName, (client) => client.query(`${attempts}; ${payments}`))
}

async function withClient<Result>(database: string, work: (client: pg.Client) => Promise<Result>) {
  const client = new pg.Client(testConnection(database))
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function freshCopy(): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(`create database ${name} template ${seededName}`)
  return name
}

async function rowsOf(database: string, sql: string): Promise<readonly unknown[]> {
  return withClient(database, async (client) => (await client.query(sql)).rows)
}

const allPayments = 'select to_jsonb(p) as payment from payment p order by payment_id'

describe('a database with payments of their own', () => {
  before(seedBefore)

  test('has the same payments after the migration', async () => {
    const name = await freshCopy()
    const rows = await rowsOf(name, allPayments)
    await migrate(testConnection(name))
    assert.equal(rows.length, 5)
    assert.deepEqual(await rowsOf(name, allPayments), rows)
    const others = await rowsOf(
      name,
      'select attempt_id::int4 as id, changed_at, taken_by from attempt where status is null order by 1',
    )
    assert.deepEqual(
      others,
      [5, 7, 8].map((id) => ({ id, changed_at: null, taken_by: null })),
    )
  })

  test('takes the payments of nodes that are still of the version before', async () => {
    const [older, newer] = [await freshCopy(), await freshCopy()]
    await migrate(testConnection(newer))
    for (const name of [older, newer]) assert.deepEqual(await rowsOf(name, moveOfOlderNode), [{ moved: 1 }])
    const rows = await rowsOf(newer, allPayments)
    assert.equal(rows.length, 6)
    assert.deepEqual(rows, await rowsOf(older, allPayments))
  })

  const strange: readonly (readonly [string, string])[] = [
    ['no attempt', 'delete from attempt where attempt_id = 2'],
    ['another amount', 'update payment set total_minor = 1030 where payment_id = 2'],
    ['another fee', 'update payment set fee_minor = 30 where payment_id = 2'],
    ['another account', 'update payment set account_id = 8 where payment_id = 2'],
    ['another merchant record', 'update payment set merchant_number = 2 where payment_id = 2'],
    ['another currency', `update payment set currency = 'EUR' where payment_id = 2`],
    ['another reference', `update payment set acquirer_ref = 'x' where payment_id = 2`],
    ['another kind', `update payment set kind = 'credit' where payment_id = 2`],
    ['the amount of an approval, and it failed', `update payment set status = 'failed' where payment_id = 2`],
    ['other details', `update payment set details = '{}' where payment_id = 2`],
  ]
  for (const [what, sql] of strange) {
    test(`is left as it is when a payment has ${what}`, async () => {
      const name = await freshCopy()
      await rowsOf(name, sql)
      const rows = await rowsOf(name, allPayments)
      const said = await migrate(testConnection(name)).catch((error: unknown) => error)
      assert(said instanceof Error && said.cause instanceof Error)
      assert.match(said.cause.message, /^payment 2 does not say what its attempt says.*; nothing was changed/)
      assert.deepEqual(await rowsOf(name, allPayments), rows)
      const last = await rowsOf(name, 'select max(number) as number from schema_migration')
      assert.deepEqual(last, [{ number: 27 }])
    })
  }
})
