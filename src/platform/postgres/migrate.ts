import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { clientSettings, type Connection, patientSettings } from '#platform/postgres/connection.ts'
import { connecting, hasState, isUnreachable, reaching } from '#platform/postgres/failures.ts'
import { openSession } from '#platform/postgres/session.ts'
import { hasCode } from '#platform/error-code.ts'

type Migration = {
  readonly number: number
  readonly name: string
  readonly digest: string
  readonly sql: string
}
type Applied = { readonly number: number; readonly name: string; readonly digest: string }

export const migrationFolder = join(import.meta.dirname, '../../../db/migrations')

// Any number would do, as long as every node takes the same one.
const migrationLock = 7_411_853

export class MigrationRefused extends Error {
  override readonly name = 'MigrationRefused'
}

// Whoever asks for a lock and waits keeps everybody behind it waiting, such as the nodes that go on while
// another one starts. So a migration waits for less than a call does, gives way, and asks again. But for
// longer than the server takes to look who is in the way (deadlock_timeout, a second): only then does it end
// an autovacuum of its own, which may take hours with a large table.
const lockWaitMs = 1_500
const lockPauseMs = 1_000
const lockNotAvailable = '55P03'

type Options = {
  readonly folder?: string
  // An empty database is refused where it may not become an installation.
  readonly mayMake?: boolean
  // Called before a database that is there moves on, which takes a while where it is large. Whoever throws
  // leaves it as it is.
  readonly onBegin?: (missing: readonly string[]) => Promise<void>
  readonly lockTriesMax?: number
}

// Brings the schema up to date, forward only. Several nodes may start at once: one migrates, the others
// wait for it.
export async function migrate(
  connection: Connection,
  { folder = migrationFolder, mayMake = true, onBegin = async () => {}, lockTriesMax = 60 }: Options = {},
): Promise<readonly string[]> {
  const migrations = await readMigrations(folder)
  const client = await connect(connection)
  try {
    return await reaching(async () => {
      await refuseOldServer(client)
      await client.query('select pg_advisory_lock($1)', [migrationLock])
      const applied = await readApplied(client)
      if (applied.length === 0) await refuseNew(client, mayMake)
      return applyMissing(client, migrations, { applied, onBegin, lockTriesMax })
    })
  } finally {
    await client.end()
  }
}

// A client that is made reads the files of certificates, so that is a part of it.
function connect(connection: Connection): Promise<pg.Client> {
  return connecting(async () => {
    const client = new pg.Client({ ...clientSettings(connection, patientSettings), pipeline: true })
    await openSession(client, patientSettings.connectionTimeoutMillis)
    return client
  })
}

async function readMigrations(folder: string): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  return Promise.all(
    names.map(async (name, at) => {
      const sql = await readFile(join(folder, name), 'utf8')
      if (Number(name.slice(0, 4)) !== at + 1)
        throw new MigrationRefused(`${name} breaks the numbering of migrations`)
      return { number: at + 1, name, digest: createHash('sha256').update(sql).digest('hex'), sql }
    }),
  )
}

const noInstallation =
  'There is no installation in this database. Check DATABASE_URL and DATA_DIR, or make one: tillgate start.'

// Only while it has nothing to lose: an installation that is there goes on, and the doctor tells.
async function refuseNew(client: pg.Client, mayMake: boolean): Promise<void> {
  if (!mayMake) throw new MigrationRefused(noInstallation)
  const { rows } = await client.query<{ encoding: string }>(
    `select current_setting('server_encoding') as encoding`,
  )
  const encoding = rows[0]?.encoding
  if (encoding === 'UTF8') return
  throw new MigrationRefused(
    `The database has the encoding ${encoding}, which cannot hold every name. ` +
      `Create it anew: create database NAME encoding 'UTF8' template template0.`,
  )
}

const nameTaken = /^42(P06|P07|710|723)$/
const undefinedColumn = /^42703$/

function somebodyElses(error: Error): MigrationRefused {
  return new MigrationRefused(
    `The database holds something of another program: ${error.message}. Give Tillgate one of its own.`,
  )
}

async function readApplied(client: pg.Client): Promise<readonly Applied[]> {
  const { rows: found } = await client.query(
    `select from pg_class where oid = to_regclass('schema_migration')`,
  )
  if (found.length === 0) return []
  const all = 'select number, name, digest from schema_migration order by number'
  const { rows } = await client.query<Applied>(all).catch((error: Error) => {
    throw hasState(error, undefinedColumn) ? somebodyElses(error) : error
  })
  return rows
}

type Applying = Pick<Required<Options>, 'onBegin' | 'lockTriesMax'> & { readonly applied: readonly Applied[] }

async function applyMissing(
  client: pg.Client,
  migrations: readonly Migration[],
  { applied, onBegin, lockTriesMax }: Applying,
): Promise<readonly string[]> {
  await client.query(`create table if not exists schema_migration (
    number integer primary key,
    name text not null,
    digest text not null,
    applied_at timestamptz not null default now()
  )`)
  applied.forEach((one) => compare(one, migrations[one.number - 1]))
  const missing = migrations.slice(applied.length)
  // The schema of a new database is one commit, quicker than one for each. A database that is there
  // moves on step by step, and keeps the steps that were done.
  const steps = applied.length === 0 ? [missing] : missing.map((migration) => [migration])
  const names = missing.map(({ name }) => name)
  if (applied.length > 0 && names.length > 0) await onBegin(names)
  for (const step of steps) await apply(client, step, lockTriesMax)
  return names
}

function compare(applied: Applied, ours: Migration | undefined): void {
  if (!ours) {
    throw new MigrationRefused(
      `The database is newer than this program, which does not know ${applied.name}. Start the newer version.`,
    )
  }
  if (ours.digest !== applied.digest) {
    throw new MigrationRefused(
      `${ours.name} was changed after it had been applied. Migrations are never edited: add the next number instead.`,
    )
  }
}

async function apply(client: pg.Client, step: readonly Migration[], lockTriesMax: number): Promise<void> {
  for (let tries = 1; !(await hasApplied(client, step)); tries++) {
    if (tries >= lockTriesMax) {
      throw new MigrationRefused(
        `${step[0]?.name} changes a table that another program holds for long, as a backup does. ` +
          'Nothing of it was done. Start again when that program has ended.',
      )
    }
    await delay(lockPauseMs)
  }
}

// Whether it got the locks that it needs. Where it did not, nothing has changed.
async function hasApplied(client: pg.Client, step: readonly Migration[]): Promise<boolean> {
  await client.query('begin')
  try {
    await client.query(`set local lock_timeout = ${lockWaitMs}`)
    // Sent in one go. Once one has failed, the server refuses those behind it.
    await Promise.all(step.map((migration) => applyOne(client, migration)))
    await client.query('commit')
    return true
  } catch (error) {
    await client.query('rollback')
    if (error instanceof Error && hasCode(error.cause, lockNotAvailable)) return false
    throw error
  }
}

async function applyOne(client: pg.Client, { number, name, digest, sql }: Migration): Promise<void> {
  try {
    await reaching(async () => {
      const note = 'insert into schema_migration (number, name, digest) values ($1, $2, $3)'
      await Promise.all([client.query(note, [number, name, digest]), client.query(sql)])
    })
  } catch (error) {
    if (isUnreachable(error)) throw error
    if (error instanceof Error && hasState(error, nameTaken)) throw somebodyElses(error)
    throw new Error(`Migration ${name} failed and was undone as a whole`, { cause: error })
  }
}

async function refuseOldServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ version: string }>(
    `select current_setting('server_version_num') as version`,
  )
  if (Number(rows[0]?.version) < 180_000) {
    throw new MigrationRefused('PostgreSQL 18 or newer is needed; this server is older.')
  }
}
