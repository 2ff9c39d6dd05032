import assert from 'node:assert/strict'
import pg from 'pg'
import { findAttemptById } from '#engine/payments/attempt.store.ts'
import type { Till } from './till.ts'

// What a restore takes back about settlement, as it was at an earlier moment; the bank keeps what it has.

const ofAccount = 'account_id = $1'
const kept: readonly (readonly [table: string, whose: string])[] = [
  ['batch_answer', 'batch_id in (select batch_id from batch where account_id = $1)'],
  ['batch_item', 'payment_id in (select attempt_id from attempt where account_id = $1)'],
  ['batch', ofAccount],
  ['batch_counter', ofAccount],
  ['settlement_plan', ofAccount],
  ['bank_file', ofAccount],
  ['bank_item', ofAccount],
  ['idempotency', ofAccount],
]

async function onClient<T>({ needs }: Till, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(needs.connection)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

// Reads the rows of the account now; what is answered puts them back, and nothing that came after.
export async function backUp(till: Till): Promise<() => Promise<void>> {
  const account = [till.account.accountId]
  const rows = await onClient(till, async (client) => {
    const read: string[] = []
    for (const [table, whose] of kept) {
      const text = `select coalesce(jsonb_agg(to_jsonb(t)), '[]')::text as rows
        from ${table} t where ${whose}`
      read.push((await client.query<{ rows: string }>(text, account)).rows[0]?.rows ?? '[]')
    }
    return read
  })
  return () =>
    onClient(till, async (client) => {
      await client.query('begin')
      for (const [table, whose] of kept) await client.query(`delete from ${table} where ${whose}`, account)
      for (const [at, [table]] of [...kept.entries()].toReversed()) {
        const text = `insert into ${table} select * from jsonb_populate_recordset(null::${table}, $1::jsonb)`
        await client.query(text, [rows[at]])
      }
      await client.query('commit')
    })
}

// What a void leaves at the bank that came after the moment of the backup.
export async function reverseAtBank({ needs }: Till, id: number): Promise<void> {
  const sale = await findAttemptById(needs.db, BigInt(id))
  assert(sale)
  const answer = await needs.acquirer.reverse(sale.ref, AbortSignal.timeout(5_000))
  assert.equal(answer.kind, 'reversed')
}

// Everything that a release may change, as one text.
export async function everythingOf(till: Till): Promise<string> {
  return onClient(till, async (client) => {
    const tables = [
      ...kept,
      ['event', ofAccount],
      ['batch_release', 'batch_id in (select batch_id from batch where account_id = $1)'],
    ]
    const texts: string[] = []
    for (const [table, whose] of tables) {
      const text = `select coalesce(jsonb_agg(to_jsonb(t) order by to_jsonb(t)::text), '[]')::text as rows
        from ${table} t where ${whose}`
      const { rows } = await client.query<{ rows: string }>(text, [till.account.accountId])
      texts.push(`${table} ${rows[0]?.rows}`)
    }
    return texts.join('\n')
  })
}

const tablesStatement = `select tablename as name from pg_tables where schemaname = current_schema()`

// The same for the whole database, whoever's the rows are.
export async function backUpAll(till: Till): Promise<() => Promise<void>> {
  const rows = await onClient(till, async (client) => {
    const tables = await client.query<{ name: string }>(tablesStatement)
    const read: [name: string, rows: string][] = []
    for (const { name } of tables.rows) {
      const text = `select coalesce(jsonb_agg(to_jsonb(t)), '[]')::text as rows from "${name}" t`
      read.push([name, (await client.query<{ rows: string }>(text)).rows[0]?.rows ?? '[]'])
    }
    return read
  })
  return () =>
    onClient(till, async (client) => {
      // Neither the order of tables nor what is written once stands in the way of a restore.
      await client.query('begin; set local session_replication_role = replica')
      for (const [name] of rows) await client.query(`delete from "${name}"`)
      for (const [name, before] of rows) {
        const text = `insert into "${name}" overriding system value
          select * from jsonb_populate_recordset(null::"${name}", $1::jsonb)`
        await client.query(text, [before])
      }
      await client.query('commit')
    })
}
