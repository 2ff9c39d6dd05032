import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { Connection } from '#platform/postgres/connection.ts'
import { type Database, openDatabase } from '#platform/postgres/database.ts'
import { type EmbeddedServer, startEmbeddedServer } from '#platform/postgres/embedded-server.ts'
import type { Bench } from './scenario.ts'

type Settings = Readonly<Record<string, string>>

// The benchmark's own PostgreSQL, with settings that are the same on every machine. Both sides run on it: the
// gateway and the scripts that it is compared with.
export type Cluster = {
  readonly folder: string
  readonly postmasterId: number
  readonly settings: Settings
  connectionTo(database: string): Connection
  urlOf(database: string): string
  // As the gateway runs statements, but without its time limits: checks read whole tables.
  openDatabase(database: string): Database
  // A connection without time limits, for what takes long.
  withClient<T>(database: string, work: (client: pg.Client) => Promise<T>): Promise<T>
  // Changes settings that need no restart, for as long as the work takes.
  whileChanged<T>(settings: Settings, work: () => Promise<T>): Promise<T>
  checkpoint(): Promise<void>
  // How far the log of changes has been written, in bytes.
  walPosition(): Promise<number>
}

const gigabyte = 1024 ** 3

// No checkpoint and no vacuum inside a sample; the bad day and the soak switch both on. Nothing of this
// weakens a commit.
function settingsFor(walGigabytes: number): Settings {
  return {
    synchronous_commit: 'on',
    fsync: 'on',
    full_page_writes: 'on',
    jit: 'off',
    autovacuum: 'off',
    checkpoint_timeout: '1h',
    max_wal_size: '64GB',
    min_wal_size: `${Math.round(walGigabytes * 1024)}MB`,
    shared_buffers: `${Math.max(256, Math.min(4096, Math.floor(totalmem() / 4 / 1024 ** 2)))}MB`,
  }
}

export async function openCluster(bench: Pick<Bench, 'keep' | 'extent'>): Promise<Cluster> {
  let server: EmbeddedServer | null = null
  let folder = ''
  bench.keep(async () => {
    await server?.stop()
    if (folder !== '') rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  })
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tillgate-bench-')))
  const settings = settingsFor(bench.extent.charges.walGigabytes)
  const place = { folder: join(folder, 'postgres') }
  server = await startEmbeddedServer(place)
  await changeSettings(connectionAt(server, 'postgres'), settings)
  await server.stop()
  // Some settings count from the start of the server on.
  server = await startEmbeddedServer(place)
  return clusterOn(server, { folder, settings })
}

function clusterOn(server: EmbeddedServer, known: Pick<Cluster, 'folder' | 'settings'>): Cluster {
  const connectionTo = (database: string): Connection => connectionAt(server, database)
  return {
    ...known,
    postmasterId: server.processId,
    connectionTo,
    urlOf: (database) =>
      `postgresql://${server.user}@/${database}?host=${encodeURIComponent(server.socketFolder)}`,
    openDatabase: (database) => openDatabase(patient(connectionTo(database)), poolOptions),
    withClient: (database, work) => withClient(connectionTo(database), work),
    whileChanged: async (settings, work) => {
      await changeSettings(connectionTo('postgres'), settings)
      try {
        return await work()
      } finally {
        await restoreSettings(connectionTo('postgres'), settings, known.settings)
      }
    },
    checkpoint: () =>
      withClient(connectionTo('postgres'), async (client) => void (await client.query('checkpoint'))),
    walPosition: () =>
      withClient(connectionTo('postgres'), async (client) => {
        const { rows } = await client.query<{ bytes: string }>(
          `select (pg_current_wal_lsn() - '0/0')::text as bytes`,
        )
        return Number(rows[0]?.bytes)
      }),
  }
}

// Checks read two things at a time, at times beside whoever seeds or sums up.
const poolOptions = { sizeMax: 4, onIdleError: () => undefined } as const

function patient(connection: Connection): Connection {
  const noLimits = { statement_timeout: 0, query_timeout: 0, lock_timeout: 0, connectionTimeoutMillis: 0 }
  return { ...connection, ...noLimits }
}

function connectionAt({ socketFolder, user }: EmbeddedServer, database: string): Connection {
  return { host: socketFolder, user, database }
}

async function withClient<T>(connection: Connection, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(connection)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function changeSettings(connection: Connection, settings: Settings): Promise<void> {
  await withClient(connection, async (client) => {
    for (const [name, value] of Object.entries(settings))
      await client.query(`alter system set ${name} = '${value}'`)
    await client.query('select pg_reload_conf()')
  })
}

// As they were before, or as PostgreSQL has them by itself.
async function restoreSettings(connection: Connection, changed: Settings, before: Settings): Promise<void> {
  await withClient(connection, async (client) => {
    for (const name of Object.keys(changed))
      await client.query(
        name in before ? `alter system set ${name} = '${before[name]}'` : `alter system reset ${name}`,
      )
    await client.query('select pg_reload_conf()')
  })
}

// Fills as many segments of the log as the samples will need and leaves them for reuse: making new ones costs
// more than everything else that a commit does.
export async function preGenerateWal(cluster: Cluster, gigabytes: number): Promise<void> {
  await cluster.withClient('postgres', async (client) => {
    const messages = Math.ceil((gigabytes * gigabyte) / 1024 ** 2)
    await client.query(
      `select count(pg_logical_emit_message(false, 'bench', repeat('x', 1048000)))
       from generate_series(1, $1)`,
      [messages],
    )
    await client.query('checkpoint')
  })
}
