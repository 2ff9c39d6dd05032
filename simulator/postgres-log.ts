import { randomBytes } from 'node:crypto'
import pg from 'pg'
import type { BankLog, Entry, Filed, Standing } from './bank-log.ts'
import {
  rowFromColumns,
  rowToColumns,
  type RowColumns,
  type StandingColumns,
  standingFromColumns,
  standingToColumns,
} from './bank-rows.ts'
import * as sql from './bank-schema.ts'
import { rowFrom } from './books.ts'
import { acceptBatch, judge, type Judgement, refsTouchedBy } from './judge.ts'
import { ShareQueue } from './share-queue.ts'

export type BankConnection = {
  readonly connectionString?: string
  readonly host?: string
  readonly user?: string
  readonly database?: string
  readonly options?: string
  // Where it is waited for longer than usual.
  readonly connectionTimeoutMillis?: number
}

const bankSettings = {
  application_name: 'tillgate-bank',
  // Everything as text: the rows are mapped here and nowhere else.
  types: { getTypeParser: () => String },
  keepAlive: true,
  connectionTimeoutMillis: 2_000,
  lock_timeout: 5_000,
  statement_timeout: 5_000,
  idle_in_transaction_session_timeout: 10_000,
} as const

// What the bank counts on, whatever its user or its database says. Of two options with one name the later
// one counts.
const session =
  '-c timezone=UTC -c datestyle=ISO -c bytea_output=hex -c array_nulls=on ' +
  '-c default_transaction_isolation=read\\ committed -c transaction_timeout=0 -c idle_session_timeout=0'

export function bankPool(connection: BankConnection, max = 4): pg.Pool {
  const options = `${connection.options ?? ''} ${session}`.trim()
  const pool = new pg.Pool({ ...bankSettings, ...connection, options, max })
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

const sizeMax = 500

// The bank's log in the schema `bank`, over connections of its own. Several banks may share one schema:
// what stands is judged under row locks, and a reference is taken by whoever inserts it first.
export async function openPostgresLog(connection: BankConnection): Promise<BankLog> {
  const pool = bankPool(connection)
  try {
    const key = await prepareSchema(pool)
    return logOn(pool, key)
  } catch (error) {
    await pool.end()
    throw error
  }
}

async function prepareSchema(pool: pg.Pool): Promise<Buffer> {
  const client = await pool.connect()
  try {
    // Two who start at once would trip over each other's "if not exists".
    await client.query(sql.lockSchema)
    const { rows: present } = await client.query<{ found: string }>(sql.schemaIsComplete)
    if (present[0]?.found !== 't') await client.query(sql.createSchema)
    await client.query(sql.makeKey, [randomBytes(32)])
    const { rows } = await client.query<{ key: string }>(sql.readKey)
    await client.query(sql.unlockSchema)
    return Buffer.from(rows[0]?.key.slice(2) ?? '', 'hex')
  } finally {
    client.release()
  }
}

function logOn(pool: pg.Pool, key: Buffer): BankLog {
  const fresh = new ShareQueue<Entry, Filed | null>({
    run: (entries) => fileFresh(pool, entries),
    keyOf: ({ ref }) => ref,
    sizeMax,
  })
  return {
    key,
    file: async (entry) => {
      if (entry.verb === 'settle') return (await fileBatch(pool, entry)) ?? fileUnderLocks(pool, entry)
      const filed = entry.verb === 'authorize' ? await fresh.add(entry) : null
      return filed ?? fileUnderLocks(pool, entry)
    },
    refusalsInARow: async (mark) => {
      const { rows } = await pool.query<{ refusals_in_a_row: string }>(sql.findRefusals, [mark])
      return Number(rows[0]?.refusals_in_a_row ?? 0)
    },
    read: async ({ ref = '', last }) => {
      const { rows } = await pool.query<RowColumns>(sql.readRows, [ref, last])
      return rows.map(rowFromColumns)
    },
    report: (from, to) => report(pool, from, to),
    async *disputes(from, to) {
      const { rows } = await pool.query<StandingColumns>(sql.readDisputes, [from.toString(), to.toString()])
      yield* rows.map(standingFromColumns)
    },
    close: () => pool.end(),
  }
}

async function fileFresh(pool: pg.Pool, entries: readonly Entry[]): Promise<readonly (Filed | null)[]> {
  const judged = entries.map((entry) => ({ entry, judgement: judge(entry, new Map()) }))
  const standings = judged.flatMap(({ judgement }) => judgement.writes.map(standingToColumns))
  const rows = judged.map(({ entry, judgement }) => rowToColumns(rowFrom(entry, judgement, 0n)))
  const { rows: taken } = await pool.query<{ ref: string }>({
    name: 'bank_file_new',
    text: sql.fileNew,
    values: [JSON.stringify(standings), JSON.stringify(rows)],
  })
  const filed = new Set(taken.map(({ ref }) => ref))
  return judged.map(({ entry, judgement }) => (filed.has(entry.ref) ? judgement : null))
}

// The usual case of a batch, set-based: everything in it may be settled, and its reference is new or was
// rejected before. null: it is not that simple, and is judged item by item.
async function fileBatch(pool: pg.Pool, entry: Entry): Promise<Filed | null> {
  const { items, verdict } = entry
  if (verdict?.outcome !== 'approved' || items.some(({ currency }) => currency !== entry.currency))
    return null
  return inTransaction(pool, async (client) => {
    await client.query(sql.allowMoreTime)
    const { rows } = await client.query<StandingColumns>(sql.lockStandings, [[entry.ref]])
    const before = rows.map(standingFromColumns)
    const isFree = before.every(
      ({ reply, digest }) => reply.outcome === 'declined' && digest === entry.digest,
    )
    if (!isFree) return null
    if (!(await settleItems(client, entry))) return null
    const standings = new Map(before.map((one): [string, Standing] => [one.ref, one]))
    const judgement = acceptBatch(entry)
    return (await write(client, { entry, judgement, standings })) ? judgement : null
  })
}

// So many at a time: whoever shares the process with this bank gets a turn in between. Not fewer, because
// PostgreSQL goes through all standings for each portion.
const portion = 25_000

// false: one of them may not be settled.
async function settleItems(client: pg.PoolClient, { ref: batch, items, currency }: Entry): Promise<boolean> {
  for (let from = 0; from < items.length; from += portion) {
    const some = items.slice(from, from + portion)
    const { rowCount } = await client.query(sql.settleStandings, [
      batch,
      some.map(({ ref }) => ref),
      some.map(({ amountMinor }) => String(amountMinor)),
      some.map(({ isCredit }) => isCredit),
      currency,
    ])
    if (rowCount !== some.length) return false
  }
  return true
}

const triesMax = 5

async function fileUnderLocks(pool: pg.Pool, entry: Entry): Promise<Filed> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const filed = await tryUnderLocks(pool, entry)
    if (filed) return filed
  }
  throw new Error(`The reference ${entry.ref} could not be held still`)
}

// null: somebody else took the reference between our look and our insert.
function tryUnderLocks(pool: pg.Pool, entry: Entry): Promise<Filed | null> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<StandingColumns>(sql.lockStandings, [refsTouchedBy(entry)])
    const standings = new Map(rows.map((row): [string, Standing] => [row.ref, standingFromColumns(row)]))
    const judgement = judge(entry, standings)
    return (await write(client, { entry, judgement, standings })) ? judgement : null
  })
}

// Without an answer everything is undone.
async function inTransaction(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Filed | null>,
): Promise<Filed | null> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('begin')
    const filed = await work(client)
    await client.query(filed ? 'commit' : 'rollback')
    return filed
  } catch (error) {
    broken = error instanceof Error ? error : new Error(String(error))
    throw error
  } finally {
    // A connection that failed is closed, and its transaction with it.
    client.release(broken)
  }
}

type Writing = {
  readonly entry: Entry
  readonly judgement: Judgement
  readonly standings: ReadonlyMap<string, Standing>
}

async function write(client: pg.PoolClient, { entry, judgement, standings }: Writing): Promise<boolean> {
  const columns = judgement.writes.map(standingToColumns)
  const added = columns.filter(({ ref }) => !standings.has(ref))
  const changed = columns.filter(({ ref }) => standings.has(ref))
  if (added.length > 0) {
    const { rowCount } = await client.query(sql.insertStandings, [JSON.stringify(added)])
    if (rowCount !== added.length) return false
  }
  if (changed.length > 0) await client.query(sql.changeStandings, [JSON.stringify(changed)])
  await client.query(sql.appendRow, [JSON.stringify([rowToColumns(rowFrom(entry, judgement, 0n))])])
  return true
}

async function* report(pool: pg.Pool, from: Temporal.Instant, to: Temporal.Instant): AsyncIterable<Standing> {
  let after = '0'
  for (;;) {
    const { rows } = await pool.query<StandingColumns & { readonly sequence: string }>(sql.readReport, [
      after,
      from.toString(),
      to.toString(),
    ])
    yield* rows.map(standingFromColumns)
    const last = rows.at(-1)
    if (!last) return
    after = last.sequence
  }
}
