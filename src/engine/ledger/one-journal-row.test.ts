import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, test } from 'node:test'
import type pg from 'pg'
import { postEntries, verifyLedger } from '#engine/ledger/post.operation.ts'
import type { LedgerAccount, Posting } from '#engine/ledger/posting.ts'
import { attemptId } from '#engine/payments/attempt.ts'
import { accountId, merchantNumber } from '#kernel/ids.ts'
import { type Database, openDatabase } from '#platform/postgres/database.ts'
import { migrate } from '#platform/postgres/migrate.ts'
import { cents } from '../../../test/crash/attempt-builder.ts'
import { makeEarlierDatabase, withClient } from '../../../test/support/earlier-database.ts'
import { administer, testConnection } from '../../../test/support/test-cluster.ts'

// Migration 42 writes the lines of a charge as one row.

const at = Temporal.Instant.from('2027-01-15T10:00:01Z')

// Two of each: a sale with a fee, one without, one that is all fee, and a void of a sale with a fee.
const attempts = `
  insert into attempt (attempt_id, account_id, merchant_number, kind, total_minor, fee_minor, currency,
    acquirer_ref, subject_ref, policy, accepts_partial, avs_needed, cvv_needed, following, details, state,
    fence, lease_until, approved_minor, approved_fee_minor, created_at)
  select i.id, 7, 1, i.kind, i.total, i.fee, 'USD', 'ref-' || i.id, 'ref-' || i.id, 'resolve', false, 'none',
    false, '[]', '{}', 'approved', 1, '2027-01-15', i.total, i.fee, '2027-01-15T10:00Z'
  from (values
    (1, 'sale', 1030, 30), (2, 'sale', 500, 0), (3, 'sale', 30, 30), (4, 'void', 1030, 30),
    (5, 'sale', 1030, 30), (6, 'sale', 500, 0), (7, 'sale', 30, 30), (8, 'void', 1030, 30)
  ) as i (id, kind, total, fee)`

// What nodes of the version before have prepared.
const insertOfOlderNode = {
  name: 'insert_postings',
  text: `insert into posting (attempt_id, account_id, merchant_number, debit, credit, amount_minor, currency,
       created_at)
     select unnest($1::int8[]), unnest($2::int8[]), unnest($3::int4[]), unnest($4::text[]),
       unnest($5::text[]), unnest($6::int8[]), unnest($7::text[]), $8`,
}
const readOfOlderNode = {
  name: 'compare_books',
  text: `select attempt_id::int4 as id, account_id::int4 as account, merchant_number as merchant,
       debit, credit, amount_minor, currency, created_at
     from posting order by attempt_id, debit, credit`,
}

type Line = readonly [id: number, debit: LedgerAccount, credit: LedgerAccount, minor: number]

const linesBefore: readonly Line[] = [
  [1, 'acquirer', 'merchant', 1_000],
  [1, 'acquirer', 'fees', 30],
  [2, 'acquirer', 'merchant', 500],
  [3, 'acquirer', 'fees', 30],
  [4, 'merchant', 'acquirer', 1_000],
  [4, 'fees', 'acquirer', 30],
]
// Sale 6 is disputed and lost, too.
const linesAfter: readonly Line[] = [
  ...linesBefore.map(([id, debit, credit, minor]) => [id + 4, debit, credit, minor] as const),
  [6, 'disputes', 'acquirer', 500],
  [6, 'merchant', 'disputes', 500],
]

type Row = readonly [...Line, fee: number]
const rowsAfter: readonly Row[] = [
  [5, 'acquirer', 'merchant', 1_000, 30],
  [6, 'acquirer', 'merchant', 500, 0],
  [7, 'acquirer', 'fees', 30, 0],
  [8, 'merchant', 'acquirer', 1_000, 30],
  [6, 'disputes', 'acquirer', 500, 0],
  [6, 'merchant', 'disputes', 500, 0],
]

async function insertAsOlderNode(client: pg.Client, lines: readonly Line[]): Promise<number | null> {
  const column = (pick: (line: Line) => unknown): unknown[] => lines.map(pick)
  const values = [
    column(([id]) => id),
    column(() => 7),
    column(() => 1),
    column(([, debit]) => debit),
    column(([, , credit]) => credit),
    column(([, , , minor]) => minor),
    column(() => 'USD'),
    at.toString(),
  ]
  return (await client.query({ ...insertOfOlderNode, values })).rowCount
}

function postingFrom([id, debit, credit, minor, fee]: Row): Posting {
  const whose = {
    attemptId: attemptId(BigInt(id)),
    accountId: accountId(7n),
    merchantNumber: merchantNumber(1),
  }
  return { ...whose, debit, credit, amount: cents(BigInt(minor)), fee: cents(BigInt(fee)) }
}

const seededName = `test_${randomBytes(6).toString('hex')}`

async function seedBefore(): Promise<void> {
  await makeEarlierDatabase(seededName, '0042')
  await withClient(seededName, async (client) => {
    await client.query(attempts)
    await insertAsOlderNode(client, linesBefore)
  })
}

async function freshCopy(): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(`create database ${name} template ${seededName}`)
  return name
}

async function linesOf(name: string): Promise<readonly object[]> {
  return withClient(name, async (client) => (await client.query<object>(readOfOlderNode)).rows)
}

async function withDatabase<Result>(name: string, work: (db: Database) => Promise<Result>): Promise<Result> {
  const db = openDatabase(testConnection(name), { sizeMax: 2, onIdleError: () => undefined })
  return work(db).finally(() => db.close())
}

async function areBooksSound(name: string): Promise<boolean> {
  return (await withDatabase(name, verifyLedger)).isSound
}

// The lines of all eight, as the version before writes and reads them.
async function linesOfVersionBefore(): Promise<readonly object[]> {
  const name = await freshCopy()
  await withClient(name, (client) => insertAsOlderNode(client, linesAfter))
  return linesOf(name)
}

describe('a ledger with a row for each line', () => {
  before(seedBefore)

  test('has the same lines after the migration', async () => {
    const name = await freshCopy()
    const lines = await linesOf(name)
    await migrate(testConnection(name))
    assert.equal(lines.length, linesBefore.length)
    assert.deepEqual(await linesOf(name), lines)
  })

  test('takes lines of a node of the version before, as it has prepared them, and agrees', async () => {
    const name = await freshCopy()
    await withClient(name, async (client) => {
      assert.equal(await insertAsOlderNode(client, []), 0)
      await client.query(readOfOlderNode)
      await migrate(testConnection(name))
      assert.equal(await areBooksSound(name), false)
      assert.equal(await insertAsOlderNode(client, linesAfter), linesAfter.length)
      assert.deepEqual((await client.query(readOfOlderNode)).rows, await linesOfVersionBefore())
    })
    assert.equal(await areBooksSound(name), true)
  })

  test('shows a node of the version before, of what a new node writes, the lines it knows', async () => {
    const name = await freshCopy()
    await withClient(name, async (client) => {
      await client.query(readOfOlderNode)
      await migrate(testConnection(name))
      const rows = rowsAfter.map(postingFrom)
      await withDatabase(name, (db) => db.inTransaction((tx) => postEntries(tx, rows, at)))
      assert.deepEqual((await client.query(readOfOlderNode)).rows, await linesOfVersionBefore())
    })
    assert.equal(await areBooksSound(name), true)
  })

  for (const [what, sql] of [
    ['changed', 'update posting set amount_minor = 1 where attempt_id = 1'],
    ['removed', 'delete from posting where attempt_id = 1'],
  ] as const) {
    test(`has no line ${what} through the view`, async () => {
      const name = await freshCopy()
      await migrate(testConnection(name))
      const lines = await linesOf(name)
      await assert.rejects(
        withClient(name, (client) => client.query(sql)),
        { code: '23001', message: 'posting is written once and never changed: write another row' },
      )
      assert.deepEqual(await linesOf(name), lines)
    })
  }
})
