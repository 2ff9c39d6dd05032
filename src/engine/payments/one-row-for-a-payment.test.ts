import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { migrate } from '#platform/postgres/migrate.ts'
import { makeEarlierDatabase, withClient } from '../../../test/support/earlier-database.ts'
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
    (8, 'sale', null, 'unknown', 0, 0, '', ''),
    (9, 'sale', null, 'sending', 0, 0, '', ''),
    (10, 'void', 4, 'sending', 0, 0, '', '')
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

// What nodes of the version before have prepared: they move attempts and write payments in one statement.
const moveOfOlderNode = `
  with moved as (
    update attempt a
    set state = i.to_state, approved_minor = i.approved, approved_fee_minor = i.approved_fee,
      approval_code = i.approval_code, result_code = i.result_code
    from unnest($1::int8[], $2::int4[], $3::text[], $4::text[], $5::int8[], $6::int8[], $7::text[],
      $8::text[], $9::text[]) as i (attempt_id, fence, from_state, to_state, approved, approved_fee,
      approval_code, result_code, status)
    where a.attempt_id = i.attempt_id and a.fence = i.fence and a.state = i.from_state
    returning a.attempt_id, a.account_id, a.merchant_number, a.kind, a.parent_id, a.total_minor, a.fee_minor,
      a.currency, a.acquirer_ref, a.state, a.approved_minor, a.approved_fee_minor, a.approval_code,
      a.result_code, a.avs, a.cvv, a.details, a.created_at, i.status
  ), paid as (
    insert into payment (payment_id, account_id, merchant_number, kind, parent_id, status, total_minor,
      fee_minor, currency, acquirer_ref, approval_code, result_code, avs, cvv, is_partial, details,
      created_at, changed_at)
    select attempt_id, account_id, merchant_number, kind, parent_id, status,
      case status when 'failed' then total_minor else approved_minor end,
      case status when 'failed' then fee_minor else approved_fee_minor end,
      currency, acquirer_ref, approval_code, result_code, avs, cvv, state = 'partial', details, created_at,
      '2027-01-15T10:00:02Z'
    from moved where status is not null
  )
  select count(*)::int4 as moved from moved`
// A sale that is approved, one that is declined, and a void, which is no payment.
const movesOfOlderNode = [
  '{8,9,10}',
  '{1,1,1}',
  '{unknown,sending,sending}',
  '{approved,declined,approved}',
  '{1030,0,1030}',
  '{30,0,30}',
  '{A8,"",A10}',
  '{00,05,00}',
  '{open,failed,NULL}',
]
// Taken for a void, voided, and credited.
const changesOfOlderNode = [
  `update payment set taken_by = 'ref-x' where payment_id = 8 and taken_by is null`,
  `update payment set status = 'void', changed_at = '2027-01-15T10:00:03Z' where payment_id = 8`,
  `update payment set credited_minor = credited_minor + 5, taken_by = null where payment_id = 1`,
]
const readOfOlderNode = `select payment_id::int4 as id, kind, status from payment order by 1`

const seededName = `test_${randomBytes(6).toString('hex')}`

async function seedBefore(): Promise<void> {
  await makeEarlierDatabase(seededName, '0028')
  await withClient(seededName, (client) => client.query(`${attempts}; ${payments}`))
}

async function freshCopy(): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(`create database ${name} template ${seededName}`)
  return name
}

async function rowsOf(database: string, sql: string): Promise<readonly unknown[]> {
  return withClient(database, async (client) => (await client.query(sql)).rows)
}

const everyPart =
  `account_id, acquirer_ref, approval_code, avs, created_at, currency, cvv, details, fee_minor,
  is_partial, kind, merchant_number, parent_id, payment_id, result_code, total_minor`.replace(/\s+/g, ' ')
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
      [5, 7, 8, 9, 10].map((id) => ({ id, changed_at: null, taken_by: null })),
    )
  })

  test('serves nodes that are still of the version before, with what they have prepared', async () => {
    const [older, newer] = [await freshCopy(), await freshCopy()]
    await withClient(newer, async (client) => {
      const move = { name: 'move', text: moveOfOlderNode }
      const read = { name: 'read', text: readOfOlderNode }
      // Prepared by a call that moves nothing.
      const nothing = movesOfOlderNode.map(() => '{}')
      await client.query({ ...move, values: nothing })
      await client.query(read)
      await migrate(testConnection(newer))
      assert.deepEqual((await client.query({ ...move, values: movesOfOlderNode })).rows, [{ moved: 3 }])
      assert.equal((await client.query(read)).rows.length, 7)
      for (const change of changesOfOlderNode) await client.query(change)
    })
    await withClient(older, async (client) => {
      await client.query(moveOfOlderNode, movesOfOlderNode)
      for (const change of changesOfOlderNode) await client.query(change)
    })
    assert.deepEqual(await rowsOf(newer, allPayments), await rowsOf(older, allPayments))
  })

  test('keeps an attempt whose payment somebody deletes', async () => {
    const name = await freshCopy()
    await migrate(testConnection(name))
    await assert.rejects(rowsOf(name, 'delete from payment where payment_id = 1'), /never changed/)
  })

  const strange: readonly (readonly [what: string, sql: string, parts: string])[] = [
    ['no attempt', 'delete from attempt where attempt_id = 2', everyPart],
    ['another amount', 'update payment set total_minor = 1030 where payment_id = 2', 'total_minor'],
    ['another fee', 'update payment set fee_minor = 30 where payment_id = 2', 'fee_minor'],
    ['another account', 'update payment set account_id = 8 where payment_id = 2', 'account_id'],
    [
      'another merchant record',
      'update payment set merchant_number = 2 where payment_id = 2',
      'merchant_number',
    ],
    ['another currency', `update payment set currency = 'EUR' where payment_id = 2`, 'currency'],
    ['another reference', `update payment set acquirer_ref = 'x' where payment_id = 2`, 'acquirer_ref'],
    ['another kind', `update payment set kind = 'credit' where payment_id = 2`, 'kind'],
    [
      'the amount of an approval, and it failed',
      `update payment set status = 'failed' where payment_id = 2`,
      'fee_minor, total_minor',
    ],
    [
      'other details and another parent',
      `update payment set details = '{}', parent_id = 1 where payment_id = 2`,
      'details, parent_id',
    ],
  ]
  for (const [what, sql, parts] of strange) {
    test(`is left as it is when a payment has ${what}`, async () => {
      const name = await freshCopy()
      await rowsOf(name, sql)
      const rows = await rowsOf(name, allPayments)
      const said = await migrate(testConnection(name)).catch((error: unknown) => error)
      assert(said instanceof Error && said.cause instanceof Error)
      assert.equal(
        said.cause.message,
        `payment 2 says something else than its attempt, or has none: ${parts}; nothing was changed`,
      )
      assert.deepEqual(await rowsOf(name, allPayments), rows)
      const last = await rowsOf(name, 'select max(number) as number from schema_migration')
      assert.deepEqual(last, [{ number: 27 }])
    })
  }
})
