import { Complaint } from '#apps/complaint.ts'
import type { Installation } from '#apps/installation.ts'
import { openKeys, refuseOtherKeys } from '#apps/open-keys.ts'
import { systemClock } from '#platform/clock.ts'
import type { Config } from '#platform/config.ts'
import type { KeyRing } from '#platform/crypto/key-ring.ts'
import type { Role } from '#platform/data-folder.ts'
import { unusedSenderSettings } from '#platform/message-settings.ts'
import { type Connection, connectionsBesidePool, patientConnectMs } from '#platform/postgres/connection.ts'
import { type Database, openDatabase } from '#platform/postgres/database.ts'
import { DatabaseClock } from '#platform/postgres/database-clock.ts'
import { DiskRoom } from '#platform/postgres/disk-room.ts'
import { migrate } from '#platform/postgres/migrate.ts'
import { findWeakSettings } from '#platform/postgres/weak-settings.ts'
import type { Log } from '#platform/log.ts'
import { Bank } from '../../simulator/bank.ts'
import { memoryChallenges } from '../../simulator/challenge.ts'
import { openMemoryLog } from '../../simulator/memory-log.ts'
import { PayerBank } from '../../simulator/payer-bank.ts'
import { openPostgresChallenges } from '../../simulator/postgres-challenges.ts'
import { openPostgresLog } from '../../simulator/postgres-log.ts'

// T1 and T2, now and in bulk, five reads before them (session, merchant records, consent, sale, order) and
// the looks of the recoverer, each one at a time; and one more, because whoever moves a clock of the sandbox
// recovers as well. With the two below they are among connectionsBesidePool.
const batchersMax = 11
const recoveryMax = 3
const deliveriesMax = 4
const deliveriesWaitMs = 15_000
const madeNew = 'Made a NEW installation. If you expected an existing one, check DATA_DIR and DATABASE_URL'

export type Opening = {
  readonly config: Config
  readonly role: Role
  readonly log: Log
  // A command that looks at an installation, or changes one, does not make one: whoever calls it has mistyped
  // a folder.
  readonly mayMake: boolean
  // What only looks leaves the schema to whoever starts or changes something.
  readonly mayMigrate: boolean
}

type Server = { readonly connection: Connection; readonly opened: AsyncDisposableStack }

// What an installation is beside its server: the schema brought up to date, the keys that belong to it, the
// connections, and the banks of the sandbox. What is opened goes on the given stack at once.
export async function openOnServer(
  opening: Opening,
  { connection, opened }: Server,
): Promise<Omit<Installation, 'gatewayProcess' | 'close'>> {
  const { config, role, log } = opening
  const onIdleError = (error: Error) => log.warn({ err: error }, 'A database connection broke')
  // A call is refused soon, so that it can be sent again; whoever gives a command would have to.
  const disk = new DiskRoom()
  const watched = { onIdleError, onFull: () => disk.noteFull() }
  const usual = role === 'command' ? { ...watched, waitMsMax: patientConnectMs } : watched
  const db = openDatabase(connection, { sizeMax: config.poolSize, ...usual })
  opened.defer(() => db.close())
  const isNew = await bringUpToDate({ connection, db }, opening)
  const keyRing = await openKeys(db, config)
  tellLostKeys(keyRing, { config, log })
  if (role === 'gateway') tellUnusedSenders(config, log)
  const clock = new DatabaseClock(systemClock)
  await clock.measure(db)
  if (role === 'gateway') warnOfWrongClock(clock, log)
  if (role === 'gateway') await tellWeakSettings(db, { config, log })
  const batchDb = openDatabase(connection, { sizeMax: batchersMax, ...usual, isForBatches: true })
  opened.defer(() => batchDb.close())
  const recoveryDb = openDatabase(connection, { sizeMax: recoveryMax, ...usual })
  opened.defer(() => recoveryDb.close())
  const deliveryDb = openDatabase(connection, {
    sizeMax: deliveriesMax,
    ...watched,
    waitMsMax: deliveriesWaitMs,
  })
  opened.defer(() => deliveryDb.close())
  const bankConnection =
    role === 'command' ? { ...connection, connectionTimeoutMillis: patientConnectMs } : connection
  const banks = await openBanks(bankConnection, { config, log }, opened)
  const payerBank = await openPayerBank(bankConnection, config, opened)
  const databases = { connection, db, batchDb, recoveryDb, deliveryDb }
  return { ...databases, ...banks, clock, disk, keyRing, payerBank, isNew }
}

export class MigrationsWait extends Complaint {}

// Answers whether it was made just now.
async function bringUpToDate(
  { connection, db }: Pick<Installation, 'connection' | 'db'>,
  { config, role, log, mayMake, mayMigrate }: Opening,
): Promise<boolean> {
  // Whoever gives a command sees nothing below a warning, and should see this.
  const tell = (fields: object, text: string) =>
    role === 'command' ? log.warn(fields, text) : log.info(fields, text)
  const applied = await migrate(connection, {
    mayMake,
    onBegin: async (missing) => {
      if (!mayMigrate) throw new MigrationsWait(waitingText(missing))
      await refuseOtherKeys(db, config)
      tell({ missing }, 'Bringing the database schema up to date')
    },
  })
  const isNew = applied.some((name) => name.startsWith('0001_'))
  const done = 'Brought the database schema up to date'
  if (!isNew && applied.length > 0) tell({ applied }, done)
  if (isNew) tell({ dataFolder: config.dataFolder, keysFolder: config.keysFolder }, madeNew)
  return isNew
}

function waitingText(missing: readonly string[]): string {
  const [first, ...more] = missing
  const which = more.length > 0 ? `${missing.length} migrations wait, from ${first}` : `${first} waits`
  return `answers; ${which}: the next start or command of this version brings the schema up to date`
}

function tellLostKeys({ cardKeys }: KeyRing, { config, log }: Pick<Opening, 'config' | 'log'>): void {
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

function warnOfWrongClock(clock: DatabaseClock, log: Log): void {
  if (clock.isUnusual)
    log.warn({ difference: clock.describe() }, 'The clock of this node is wrong: set it by a time service')
}

async function tellWeakSettings(
  db: Database,
  { config, log }: Pick<Opening, 'config' | 'log'>,
): Promise<void> {
  const weak = await findWeakSettings({ db, connectionsNeeded: config.poolSize + connectionsBesidePool })
  if (weak.length > 0) log.warn({ weak }, 'PostgreSQL is set so that payments may be lost or not be taken')
}

// A benchmark charges by the million, and its bank must not fill the memory that it measures.
const forgetfulLog = { keepsRows: false, standingsMax: 20_000 } as const

async function openBanks(
  connection: Connection,
  { config, log }: Pick<Opening, 'config' | 'log'>,
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
