import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Type } from 'typebox'
import { Parse } from 'typebox/value'
import type { Connection } from '#platform/postgres/connection.ts'
import { type Database, openDatabase } from '#platform/postgres/database.ts'
import { startEmbeddedServer } from '#platform/postgres/embedded-server.ts'
import { isPostmasterOf, readPostmasterFile } from '#platform/postgres/postmaster.ts'
import { lastLines } from '#platform/run-tool.ts'
import type { Bench } from './scenario.ts'

// A real gateway in a process of its own, started as an operator starts it.
export type Gateway = {
  readonly baseUrl: string
  readonly port: number
  readonly processId: number
  readonly postmasterId: number
  // From the start of the process to the first answer of /live.
  readonly startMs: number
  readonly sandbox: { readonly acctCode: string; readonly token: string }
  // The benchmark's own connection, past the gateway.
  readonly db: Database
  stop(): Promise<void>
}

// A data folder, in which a gateway can be started, stopped and started again.
export type Home = { start(): Promise<Gateway>; remove(): Promise<void> }

const startPatienceMs = 60_000
const stopPatienceMs = 35_000
// Whoever asks more often takes from what it waits for.
const pollMs = 20
const launcher = join(import.meta.dirname, '..', 'bin', 'tillgate.cjs')

const SandboxFile = Type.Object({ acctCode: Type.String(), token: Type.String() })

// A database of the benchmark's own in place of the embedded one.
export type OwnDatabase = {
  readonly url: string
  readonly connection: Connection
  readonly postmasterId: number
}

export type HomeOptions = {
  readonly database?: OwnDatabase
  readonly settings?: Readonly<Record<string, string>>
  // Of the command `start`.
  readonly flags?: readonly string[]
  // Finds nothing that others have compiled, so that its first start is one.
  readonly compilesAnew?: true
}

export function makeHome(bench: Pick<Bench, 'keep'>, options: HomeOptions = {}): Home {
  let stop: (() => Promise<void>) | null = null
  let isRemoved = false
  // First, because it throws once the benchmark is being cleaned up, and then nothing may be made any more.
  bench.keep(() => remove())
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tillgate-bench-')))
  const remove = async (): Promise<void> => {
    isRemoved = true
    await stop?.()
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
  return {
    remove,
    start: async () => {
      const port = await findFreePort()
      if (isRemoved) throw new Error('The benchmark is being cleaned up')
      const beganAt = performance.now()
      const child = spawnGateway({ folder, port }, options)
      const live = waitUntilLive(child, { folder, port })
      // Until it is live a gateway cannot be told to stop in good order.
      stop = onlyOnce(() => stopGateway(child, { folder, live }))
      await live
      const startMs = performance.now() - beganAt
      return openGateway({ child, folder, port, startMs, stop }, options.database ?? embeddedIn(folder))
    },
  }
}

function onlyOnce(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null
  return () => (done ??= work())
}

// In a process group of its own, so that a Ctrl-C reaches it through the benchmark alone. Nothing of the
// environment is passed on that could change a setting.
function spawnGateway({ folder, port }: Awaited, options: HomeOptions): ChildProcess {
  const log = openSync(logIn(folder), 'a', 0o600)
  try {
    return spawn(process.execPath, [launcher, 'start', ...(options.flags ?? [])], {
      cwd: folder,
      detached: true,
      stdio: ['ignore', log, log],
      env: {
        PATH: process.env['PATH'],
        TMPDIR: tmpdir(),
        DATA_DIR: dataIn(folder),
        PORT: String(port),
        TILLGATE_LOG_LEVEL: 'warn',
        ...(options.compilesAnew && { NODE_COMPILE_CACHE: join(folder, 'compiled') }),
        ...(options.database && { DATABASE_URL: options.database.url }),
        ...options.settings,
      },
    })
  } finally {
    closeSync(log)
  }
}

type Opened = {
  readonly child: ChildProcess
  readonly folder: string
  readonly port: number
  readonly startMs: number
  readonly stop: () => Promise<void>
}

function embeddedIn(folder: string): Omit<OwnDatabase, 'url'> {
  const postmaster = readPostmasterFile(clusterIn(folder))
  if (!postmaster) throw new Error('The gateway runs without its PostgreSQL')
  const { processId, socketFolder } = postmaster
  return {
    connection: { host: socketFolder, user: 'tillgate', database: 'postgres' },
    postmasterId: processId,
  }
}

async function openGateway(
  { child, folder, port, startMs, stop }: Opened,
  { connection, postmasterId }: Omit<OwnDatabase, 'url'>,
): Promise<Gateway> {
  const sandbox: unknown = JSON.parse(await readWhenThere(join(dataIn(folder), 'sandbox.json')))
  const db = openDatabase(connection, { sizeMax: 2, onIdleError: () => undefined })
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    port,
    processId: child.pid ?? 0,
    postmasterId,
    startMs,
    sandbox: Parse(SandboxFile, sandbox),
    db,
    stop: onlyOnce(async () => {
      await db.close()
      await stop()
    }),
  }
}

// The gateway answers a moment before it writes the file.
async function readWhenThere(path: string): Promise<string> {
  for (const giveUpAt = performance.now() + 5_000; ; await delay(pollMs)) {
    try {
      return readFileSync(path, 'utf8')
    } catch (error) {
      if (performance.now() > giveUpAt) throw error
    }
  }
}

type Awaited = { readonly folder: string; readonly port: number }

async function waitUntilLive(child: ChildProcess, { folder, port }: Awaited): Promise<void> {
  const giveUpAt = performance.now() + startPatienceMs
  while (performance.now() < giveUpAt) {
    if (hasEnded(child)) break
    const isLive = await fetch(`http://127.0.0.1:${port}/live`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isLive) return
    await delay(pollMs)
  }
  const said = lastLines(readFileSync(logIn(folder), 'utf8'), 10)
  throw new Error(`The gateway did not start. Its last words:\n${said}`)
}

type Stopped = { readonly folder: string; readonly live: Promise<void> }

async function stopGateway(child: ChildProcess, { folder, live }: Stopped): Promise<void> {
  await live.catch(() => undefined)
  if (!hasEnded(child)) {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await Promise.race([ended, delay(stopPatienceMs, null, { ref: false })])
  }
  if (!hasEnded(child)) child.kill('SIGKILL')
  await stopLeftServer(folder)
}

// A gateway that was killed leaves its PostgreSQL running for the next start to take over.
async function stopLeftServer(folder: string): Promise<void> {
  const left = readPostmasterFile(clusterIn(folder))
  if (!left || !isPostmasterOf(left.processId, clusterIn(folder))) return
  const server = await startEmbeddedServer({ folder: join(dataIn(folder), 'postgres') })
  await server.stop()
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('No free port was found')
  return address.port
}

const dataIn = (folder: string): string => join(folder, 'data')
const clusterIn = (folder: string): string => join(dataIn(folder), 'postgres', 'cluster')
const logIn = (folder: string): string => join(folder, 'gateway.log')
