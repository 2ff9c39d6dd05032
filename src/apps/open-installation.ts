import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Complaint } from '#apps/complaint.ts'
import { openKeys } from '#apps/open-keys.ts'
import { toldPlainly } from '#apps/told-plainly.ts'
import { systemClock } from '#platform/clock.ts'
import type { Config } from '#platform/config.ts'
import type { KeyRing } from '#platform/crypto/key-ring.ts'
import { unusedSenderSettings } from '#platform/message-settings.ts'
import { openDataFolder, type Role } from '#platform/data-folder.ts'
import { compareClocks } from '#platform/postgres/compare-clocks.ts'
import { type Connection, connectionTo } from '#platform/postgres/connection.ts'
import { type Database, openDatabase } from '#platform/postgres/database.ts'
import { placeIn } from '#platform/postgres/embedded-files.ts'
import { startEmbeddedServer } from '#platform/postgres/embedded-server.ts'
import { usualConnectionsMax } from '#platform/postgres/embedded-settings.ts'
import { keepRunning } from '#platform/postgres/keep-running.ts'
import { migrate } from '#platform/postgres/migrate.ts'
import { findWeakSettings } from '#platform/postgres/weak-settings.ts'
import type { Log } from '#platform/log.ts'
import { Bank } from '../../simulator/bank.ts'
import { memoryChallenges } from '../../simulator/challenge.ts'
import { openMemoryLog } from '../../simulator/memory-log.ts'
import { PayerBank } from '../../simulator/payer-bank.ts'
import { openPostgresChallenges } from '../../simulator/postgres-challenges.ts'
import { openPostgresLog } from '../../simulator/postgres-log.ts'

export type Installation = {
  readonly connection: Connection
  readonly db: Database
  // For the batches that charges share: a rush of other calls never takes their connections.
  readonly batchDb: Database
  // For what resolves payments and decides whether any may be sent: however many searches there are, it has
  // its connections.
  readonly recoveryDb: Database
  // For webhooks: receivers that are slow keep nobody else waiting for a connection.
  readonly deliveryDb: Database
  readonly keyRing: KeyRing
  // The card network in the box: its own connection, its own schema.
  readonly bank: Bank
  // The same for whoever sets up demo things: it never takes the time that the other is told to take.
  readonly promptBank: Bank
  // The other desk of it, which knows the payers.
  readonly payerBank: PayerBank
  // Made just now: whoever expected an old one has mistyped a folder or an address.
  readonly isNew: boolean
  // The process of the gateway that runs from the data folder, where this is a command beside it.
  readonly gatewayProcess: number | null
  close(): Promise<void>
}

// T1 and T2, now and in bulk, five reads before them (session, merchant records, consent, sale, order) and
// the looks of the recoverer, each one at a time; and one more, because whoever moves a clock of the sandbox
// recovers as well.
const batchersMax = 11
const recoveryMax = 3
const deliveriesMax = 4
// All that a process opens beyond its pool: those above, and what tasks, notifications and the bank have.
const connectionsBesidePool = 32
const deliveriesWaitMs = 15_000
const madeNew = 'Made a NEW installation. If you expected an existing one, check DATA_DIR and DATABASE_URL'

type Options = {
  readonly config: Config
  readonly role: Role
  readonly log: Log
  // A command that looks at an installation, or changes one, does not make one: whoever calls it has mistyped
  // a folder.
  readonly mayMake?: boolean
  // What only looks leaves the schema to whoever starts or changes something.
  readonly mayMigrate?: boolean
  // How many processes will serve calls on it.
  readonly workers?: number
  // Work to be done while a PostgreSQL of ours makes itself ready, and before the schema is touched. May be
  // called more than once; only the first call should cost anything.
  readonly meanwhile?: () => Promise<unknown>
}

// Opens what a gateway and every command work on: the data folder, PostgreSQL with its schema up to date,
// and the key ring that belongs to it. Closing gives everything back; a server that somebody else runs is
// left running.
export async function openInstallation({
  config,
  role,
  log,
  mayMake = true,
  mayMigrate = true,
  workers = 1,
  meanwhile = async () => {},
}: Options): Promise<Installation> {
  if (!mayMake) refuseEmptyFolder(config)
  const opened = new AsyncDisposableStack()
  try {
    const options = { config, role, log, workers, meanwhile }
    const { connection, gatewayProcess } = await openConnection(options, opened)
    await meanwhile()
    const onIdleError = (error: Error) => log.warn({ err: error }, 'A database connection broke')
    const db = openDatabase(connection, { sizeMax: config.poolSize, onIdleError })
    opened.defer(() => db.close())
    const isNew = await bringUpToDate({ connection, db }, { config, role, log, mayMake, mayMigrate })
    const keyRing = await openKeys(db, config)
    tellLostKeys(keyRing, { config, log })
    if (role === 'gateway') tellUnusedSenders(config, log)
    if (role === 'gateway') await tellWrongClock(db, log)
    if (role === 'gateway') await tellWeakSettings(db, log)
    const batchDb = openDatabase(connection, { sizeMax: batchersMax, onIdleError, isForBatches: true })
    opened.defer(() => batchDb.close())
    const recoveryDb = openDatabase(connection, { sizeMax: recoveryMax, onIdleError })
    opened.defer(() => recoveryDb.close())
    const deliveryDb = openDatabase(connection, {
      sizeMax: deliveriesMax,
      waitMsMax: deliveriesWaitMs,
      onIdleError,
    })
    opened.defer(() => deliveryDb.close())
    const banks = await openBanks(connection, { config, log }, opened)
    const payerBank = await openPayerBank(connection, config, opened)
    const kept = opened.move()
    const close = () => kept.disposeAsync()
    const databases = { connection, db, batchDb, recoveryDb, deliveryDb }
    return { ...databases, ...banks, keyRing, payerBank, isNew, gatewayProcess, close }
  } catch (error) {
    await opened.disposeAsync()
    throw toldPlainly(error)
  }
}

export class MigrationsWait extends Complaint {}

// Answers whether it was made just now.
async function bringUpToDate(
  { connection, db }: Pick<Installation, 'connection' | 'db'>,
  { config, role, log, mayMake, mayMigrate }: Required<Omit<Options, 'workers' | 'meanwhile'>>,
): Promise<boolean> {
  // Whoever gives a command sees nothing below a warning, and should see this.
  const tell = (fields: object, text: string) =>
    role === 'command' ? log.warn(fields, text) : log.info(fields, text)
  const applied = await migrate(connection, {
    mayMake,
    onBegin: async (missing) => {
      if (!mayMigrate) throw new MigrationsWait(waitingText(missing))
      // Whoever has the keys of another installation has mistyped something, and must not change this one.
      await openKeys(db, config)
      tell({ missing }, 'Bringing the database schema up to date')
    },
  })
  const isNew = applied.some((name) => name.startsWith('0001_'))
  const done = 'Brought the database schema up to date'
  if (isNew) log.info({ applied }, done)
  else if (applied.length > 0) tell({ applied }, done)
  if (isNew) log.warn({ dataFolder: config.dataFolder, keysFolder: config.keysFolder }, madeNew)
  return isNew
}

function waitingText(missing: readonly string[]): string {
  const [first, ...more] = missing
  const which = more.length > 0 ? `${missing.length} migrations wait, from ${first}` : `${first} waits`
  return `answers; ${which}: the next start or command of this version brings the schema up to date`
}

function tellLostKeys({ cardKeys }: KeyRing, { config, log }: Pick<Options, 'config' | 'log'>): void {
  const { keysFolder } = config
  cardKeys.watch({
    onLost: (problem) =>
      log.error({ keysFolder, problem }, 'KEYS_DIR has lost its keys; going on with those in memory'),
    onFound: () => log.info({ keysFolder }, 'KEYS_DIR has its keys again'),
  })
}

function tellUnusedSenders(config: Config, log: Log): void {
  const unused = unusedSenderSettings(config)
  if (unused.length > 0) log.warn({ unused }, 'Messages do not leave by a sender that was set up')
}

async function tellWrongClock(db: Database, log: Log): Promise<void> {
  const { isFar, text } = await compareClocks({ db, clock: systemClock })
  if (isFar)
    log.warn({ difference: text }, 'The clock of this node is wrong: work may be taken over too early')
}

async function tellWeakSettings(db: Database, log: Log): Promise<void> {
  const weak = await findWeakSettings({ db })
  if (weak.length > 0) log.warn({ weak }, 'PostgreSQL is set so that payments may be lost or not be taken')
}

function refuseEmptyFolder({ databaseUrl, dataFolder }: Config): void {
  if (databaseUrl !== '' || existsSync(placeIn(join(dataFolder, 'postgres')).cluster)) return
  throw new Complaint(
    `There is no installation in ${dataFolder}. Set DATA_DIR to its folder, or make one: tillgate start.`,
  )
}

// The workers, and the process that started them.
function connectionsFor({ poolSize }: Config, workers: number): number {
  return Math.max(usualConnectionsMax, (workers + 1) * (poolSize + connectionsBesidePool))
}

async function openConnection(
  { config, role, log, workers, meanwhile }: Required<Omit<Options, 'mayMake' | 'mayMigrate'>>,
  opened: AsyncDisposableStack,
): Promise<Pick<Installation, 'connection' | 'gatewayProcess'>> {
  const folder = await openDataFolder(config.dataFolder, { role })
  if (folder.kind === 'opened') opened.defer(() => folder.release())
  if (folder.kind === 'in_use' && role === 'gateway') {
    throw new Complaint(
      `Process ${folder.processId} is already using ${config.dataFolder}. ` +
        'Stop it first, or set DATA_DIR to another folder.',
    )
  }
  const gatewayProcess = folder.kind === 'in_use' && folder.role === 'gateway' ? folder.processId : null
  if (config.databaseUrl !== '') return { connection: connectionTo(config.databaseUrl), gatewayProcess }
  const start = () =>
    startEmbeddedServer({
      folder: join(config.dataFolder, 'postgres'),
      settings: { max_connections: String(connectionsFor(config, workers)) },
      isAlone: folder.kind === 'opened' && role === 'gateway',
      // Beside a running gateway there is nothing to tell: the server is the gateway's.
      onNotice: (text) => folder.kind === 'opened' && log.info({}, text),
      // What goes wrong is told when it is waited for.
      onWait: () => void meanwhile().catch(() => undefined),
    })
  const server = await start().catch((error: unknown) => {
    // The supervisor says in plain words what the operator can do; whatever has a code is told below.
    throw error instanceof Error && !('code' in error) ? new Complaint(error.message) : error
  })
  // A command beside a running gateway uses the gateway's server and leaves it running.
  if (folder.kind === 'opened') {
    const kept = role === 'gateway' ? keepRunning(server, { start, log }) : server
    opened.defer(() => kept.stop())
  }
  const connection = { host: server.socketFolder, user: server.user, database: 'postgres' }
  return { connection, gatewayProcess }
}

// A benchmark charges by the million, and its bank must not fill the memory that it measures.
const forgetfulLog = { keepsRows: false, standingsMax: 20_000 } as const

async function openBanks(
  connection: Connection,
  { config, log }: Pick<Options, 'config' | 'log'>,
  opened: AsyncDisposableStack,
): Promise<Pick<Installation, 'bank' | 'promptBank'>> {
  const bankLog =
    config.bankLog === 'memory' ? openMemoryLog(forgetfulLog) : await openPostgresLog(connection)
  opened.defer(() => bankLog.close())
  const onFault = (error: unknown) => log.error({ err: error }, 'The simulated bank could not write its log')
  const bank = new Bank({ log: bankLog, usualDelayMs: config.bankDelayMs, onFault })
  opened.defer(() => bank.close())
  const promptBank = new Bank({ log: bankLog, onFault })
  opened.defer(() => promptBank.close())
  return { bank, promptBank }
}

async function openPayerBank(
  connection: Connection,
  { bankLog }: Config,
  opened: AsyncDisposableStack,
): Promise<PayerBank> {
  const challenges = bankLog === 'memory' ? memoryChallenges() : await openPostgresChallenges(connection)
  opened.defer(() => challenges.close())
  return new PayerBank({ challenges })
}
