import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { settledUpTo } from '#engine/events/settled-events.operation.ts'
import { declaredStatements } from '#platform/postgres/statement.ts'
import { useTestDatabase } from '../../../test/support/test-database.ts'

const database = useTestDatabase()
const opened: pg.Client[] = []

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(database().connection)
  await client.connect()
  opened.push(client)
  return client
}

after(() => Promise.all(opened.map((client) => client.end())))

const body = { alias: 'till', expiresAt: '', daysLeft: '1' }

function textOf(name: string): string {
  const found = declaredStatements().find((one) => one.name === name)
  assert.ok(found)
  return found.text
}

// As appendEvents writes them, but in a transaction that this test holds open.
async function append(client: pg.Client): Promise<void> {
  const values = [['1'], ['token.expiring'], ['1'], [JSON.stringify(body)], '2027-01-15T10:00:00Z']
  await client.query({ text: textOf('insert_events'), values })
}

async function committed(): Promise<bigint> {
  const client = await connect()
  const { rows } = await client.query<{ last: string }>(
    'select coalesce(max(event_id), 0) as last from event',
  )
  return BigInt(rows[0]?.last ?? 0)
}

test('an id that is drawn but not committed holds back all later ones, until it is', async () => {
  const [slow, quick] = [await connect(), await connect()]
  await append(quick)
  const before = await settledUpTo(database())
  assert.equal(before, await committed())
  await slow.query('begin')
  await append(slow)
  await append(quick)
  assert.equal(await settledUpTo(database()), null, 'the first is still on its way')
  await slow.query('commit')
  assert.equal(await settledUpTo(database()), (before ?? 0n) + 2n)
  assert.equal(await committed(), (before ?? 0n) + 2n)
})

test('an id that is drawn by the newest transaction of all holds back as well', async () => {
  const slow = await connect()
  const before = await settledUpTo(database())
  await slow.query('begin')
  await append(slow)
  assert.equal(await settledUpTo(database()), null, 'nothing has ended since it began')
  await slow.query('commit')
  assert.equal(await settledUpTo(database()), await committed())
  assert.notEqual(await committed(), before)
})

test('an id that was drawn and given up holds nothing back', async () => {
  const [failing, quick] = [await connect(), await connect()]
  await failing.query('begin')
  await append(failing)
  await append(quick)
  await failing.query('rollback')
  assert.equal(await settledUpTo(database()), await committed())
})

test('a transaction that writes no event holds nothing back, however long it goes on', async () => {
  const [forgotten, quick] = [await connect(), await connect()]
  await forgotten.query('begin')
  await forgotten.query('select pg_current_xact_id()')
  await append(quick)
  assert.equal(await settledUpTo(database()), await committed())
  await forgotten.query('rollback')
})

test('a transaction of another database on the same server holds nothing back', async (t) => {
  const { connection } = database()
  const elsewhere = new pg.Client({ ...connection, database: 'postgres' })
  await elsewhere.connect()
  t.after(() => elsewhere.end())
  await elsewhere.query('begin')
  await elsewhere.query('select pg_current_xact_id()')
  await append(await connect())
  assert.equal(await settledUpTo(database()), await committed())
})

test('an event that is being written holds back beside a transaction that writes none', async () => {
  const [forgotten, slow, quick] = [await connect(), await connect(), await connect()]
  await forgotten.query('begin')
  await forgotten.query('select pg_current_xact_id()')
  await slow.query('begin')
  await append(slow)
  await append(quick)
  assert.equal(await settledUpTo(database()), null)
  await slow.query('commit')
  assert.equal(await settledUpTo(database()), await committed())
  await forgotten.query('rollback')
})

test('a transaction has its number before it draws an id', async () => {
  const client = await connect()
  await client.query('begin')
  const values = [['1'], ['token.expiring'], ['1'], [JSON.stringify(body)], '2027-01-15T10:00:00Z']
  const { rows } = await client.query<Record<string, string>>({
    text: `explain ${textOf('insert_events')}`,
    values,
  })
  await client.query('rollback')
  const plan = rows.map((row) => Object.values(row).join('')).join('\n')
  assert.match(plan, /One-Time Filter: \(?pg_current_xact_id\(\) IS NOT NULL/i)
})
