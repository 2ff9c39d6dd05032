import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Complaint } from '#apps/complaint.ts'
import { inPlainWords } from '#apps/in-plain-words.ts'
import type { Installation } from '#apps/installation.ts'
import type { Opening } from '#apps/open-on-server.ts'
import type { Config } from '#platform/config.ts'
import { openDataFolder } from '#platform/data-folder.ts'
import { connectionsBesidePool, connectionTo } from '#platform/postgres/connection.ts'
import { placeIn } from '#platform/postgres/embedded-files.ts'
import { startEmbeddedServer } from '#platform/postgres/embedded-server.ts'
import { usualConnectionsMax } from '#platform/postgres/embedded-settings.ts'
import { keepRunning } from '#platform/postgres/keep-running.ts'

type Options = Pick<Opening, 'config' | 'role' | 'log'> &
  Partial<Pick<Opening, 'mayMake' | 'mayMigrate'>> & {
    // How many processes will serve calls on it.
    readonly workers?: number
    // Work to be done while a PostgreSQL of ours makes itself ready, and before the schema is touched. May be
    // called more than once; only the first call should cost anything.
    readonly meanwhile?: () => Promise<unknown>
  }

const readRestOfCode = () => import('#apps/open-on-server.ts')

// Opens what a gateway and every command work on: the data folder, PostgreSQL with its schema up to date,
// and the key ring that belongs to it. Closing gives everything back; a server that somebody else runs is
// left running. The code for all that comes after PostgreSQL is read while it makes itself ready, so that a
// first start sets it to work at once.
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
    const { connection, gatewayProcess } = await openConnection(
      { config, role, log, workers, meanwhile: () => readRestOfCode().then(meanwhile) },
      opened,
    )
    await meanwhile()
    const { openOnServer } = await readRestOfCode()
    const rest = await openOnServer({ config, role, log, mayMake, mayMigrate }, { connection, opened })
    const kept = opened.move()
    return { ...rest, gatewayProcess, close: () => kept.disposeAsync() }
  } catch (error) {
    await opened.disposeAsync()
    throw await inPlainWords(error)
  }
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
