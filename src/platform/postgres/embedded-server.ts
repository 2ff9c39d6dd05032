import { spawn, type ChildProcess } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import { takeFileLock } from '#platform/data-folder.ts'
import { hasCode } from '#platform/error-code.ts'
import { findBinaries, restoreLibraryLinks } from '#platform/postgres/embedded-binaries.ts'
import {
  checkVersion,
  giveFilesTo,
  hasSocket,
  makeCluster,
  makeSocketFolder,
  placeIn,
  removeUnfinishedClusters,
  rotateLog,
  type Place,
} from '#platform/postgres/embedded-files.ts'
import { settingFlags, type Settings, tooFewConnections } from '#platform/postgres/embedded-settings.ts'
import { findOrphans, isPostmasterOf, readPostmasterFile } from '#platform/postgres/postmaster.ts'
import { chooseWay, sendSignal } from '#platform/postgres/run-as.ts'
import { startMarkOf } from '#platform/process-start.ts'
import { lastLines, toolEnvironment } from '#platform/run-tool.ts'

// Runs the PostgreSQL that comes with Tillgate: set up at the first start, reachable only through a socket in
// a private folder. The server outlives a killed gateway, and the next start takes it over.

export type EmbeddedServer = {
  readonly socketFolder: string
  readonly user: 'tillgate'
  readonly processId: number
  readonly adopted: boolean
  stop(): Promise<void>
}

type Options = {
  readonly folder: string
  readonly settings?: Settings
  // The gateway of an earlier run is gone, and its workers answer their last calls at most, so a server with
  // too few connections is started anew.
  readonly isAlone?: boolean
  readonly onNotice?: (text: string) => void
  // Called whenever a process of PostgreSQL has begun and is waited for: the set-up, then the server.
  readonly onWait?: () => void
}

type Launch = {
  readonly child: ChildProcess
  readonly processId: number
  readonly socketFolder: string
  readonly logBytesBefore: number
  spawnError: Error | null
}

const startPatienceMs = 30_000
// Recovery after a crash may take longer; it reports its progress in the log.
const recoveryPatienceMs = 600_000
const fastStopPatienceMs = 10_000
const pollMs = 10

export async function startEmbeddedServer(options: Options): Promise<EmbeddedServer> {
  mkdirSync(options.folder, { recursive: true, mode: 0o700 })
  const place = placeIn(realpathSync(options.folder))
  const lock = await takeStartLock(place, startPatienceMs * 2)
  if (lock.kind === 'taken') {
    throw new Error(`Process ${lock.processId} is still starting the database in ${place.folder}.`)
  }
  try {
    return (await adoptServer(place, options)) ?? (await launchServer(place, options))
  } finally {
    lock.release()
  }
}

async function takeStartLock(place: Place, patienceMs: number) {
  return takeFileLock(join(place.folder, 'starting.pid'), { role: 'start', patienceMs: () => patienceMs })
}

async function adoptServer(place: Place, options: Options): Promise<EmbeddedServer | null> {
  const giveUpAt = performance.now() + startPatienceMs
  for (;;) {
    const found = readPostmasterFile(place.cluster)
    if (!found || !isPostmasterOf(found.processId, place.cluster)) return null
    const { processId, socketFolder } = found
    const isReady = found.status === 'ready'
    const outgrown = isReady && options.isAlone ? tooFewConnections(processId, options.settings) : null
    if (isReady && hasSocket(socketFolder) && outgrown === null) {
      options.onNotice?.(`The database server of an earlier run is still running (process ${processId}).`)
      return serverAt(place, { processId, socketFolder, adopted: true })
    }
    if (outgrown !== null) options.onNotice?.(outgrown)
    // Or its socket was swept from the temp folder: nobody can reach it any more.
    if (isReady) await endServer(processId)
    if (performance.now() > giveUpAt) {
      throw new Error(
        `A PostgreSQL (process ${processId}) has been "${found.status}" in ${place.folder} too long.`,
      )
    }
    await delay(pollMs)
  }
}

async function launchServer(place: Place, options: Options): Promise<EmbeddedServer> {
  const binaries = findBinaries()
  restoreLibraryLinks(binaries.packageFolder)
  await clearRemains(place, options)
  const way = await chooseWay({ folder: place.folder, postgres: binaries.postgres })
  if (!existsSync(place.cluster)) {
    options.onNotice?.('Setting up the database for the first time, which takes seconds.')
    const making = makeCluster(place, { way, binaries })
    options.onWait?.()
    await making
  }
  checkVersion(place, binaries.majorVersion)
  giveFilesTo(place, way.fileOwner)
  rotateLog(place)
  const command = [...way.prefix, binaries.postgres]
  const { processId, socketFolder } = await launchOnce(place, command, options)
  return serverAt(place, { processId, socketFolder, adopted: false })
}

// Reached only when no server of this cluster is running. PostgreSQL judges a leftover postmaster.pid by
// process id alone, so a zombie or a stranger with that id would stop it from starting.
async function clearRemains(place: Place, options: Options) {
  removeUnfinishedClusters(place)
  const file = join(place.cluster, 'postmaster.pid')
  if (!existsSync(file)) return
  options.onNotice?.('The database server was not stopped properly; it will recover by itself.')
  const giveUpAt = performance.now() + startPatienceMs
  for (;;) {
    const orphans = findOrphans(place.clusterName)
    if (orphans.length === 0) break
    if (performance.now() > giveUpAt) {
      throw new Error(`Processes of a killed PostgreSQL still use ${place.cluster}: ${orphans.join(', ')}.`)
    }
    for (const processId of orphans) await sendSignal(processId, 'SIGQUIT')
    await delay(pollMs)
  }
  rmSync(file, { force: true })
}

async function launchOnce(
  place: Place,
  command: readonly string[],
  { settings = {}, onWait }: Options,
): Promise<Launch> {
  const launch = spawnServer(place, command, settings)
  onWait?.()
  const hardLimitAt = performance.now() + recoveryPatienceMs
  let giveUpAt = performance.now() + startPatienceMs
  let logBytes = 0
  for (;;) {
    const file = readPostmasterFile(place.cluster)
    if (file?.processId === launch.processId && file.status === 'ready') return launch
    if (launch.spawnError || launch.child.exitCode !== null || launch.child.signalCode !== null) {
      removeIfEmpty(launch.socketFolder)
      throw startFailure(place, launch, 'PostgreSQL did not start')
    }
    const now = performance.now()
    if (now > giveUpAt || now > hardLimitAt) {
      await endServer(launch.processId)
      removeIfEmpty(launch.socketFolder)
      throw startFailure(place, launch, 'PostgreSQL did not become ready in time')
    }
    const logBytesNow = statSync(place.log).size
    if (logBytesNow > logBytes) giveUpAt = now + startPatienceMs
    logBytes = logBytesNow
    await delay(pollMs)
  }
}

function spawnServer(place: Place, command: readonly string[], settings: Settings): Launch {
  const socketFolder = makeSocketFolder(place)
  const [file = '', ...args] = [
    ...command,
    '-D',
    place.cluster,
    ...settingFlags(place, socketFolder, settings),
  ]
  const log = openSync(place.log, 'a', 0o600)
  const logBytesBefore = statSync(place.log).size
  // Detached: a Ctrl-C is meant for the gateway, which still needs the database to stop in good order.
  const child = spawn(file, args, {
    detached: true,
    stdio: ['ignore', log, log],
    env: toolEnvironment(),
    cwd: place.folder,
  })
  closeSync(log)
  const launch: Launch = { child, processId: child.pid ?? 0, socketFolder, logBytesBefore, spawnError: null }
  child.on('error', (error) => {
    launch.spawnError = error
  })
  child.unref()
  return launch
}

function startFailure(place: Place, launch: Launch, whatHappened: string): Error {
  const log = readFileSync(place.log).subarray(launch.logBytesBefore).toString('utf8')
  const reason = launch.spawnError?.message ?? lastLines(log, 10)
  return new Error(`${whatHappened}. ${place.log} ends with:\n${reason}`)
}

function serverAt(
  place: Place,
  found: { readonly processId: number; readonly socketFolder: string; readonly adopted: boolean },
): EmbeddedServer {
  let stopping: Promise<void> | null = null
  const stop = async () => {
    if (isPostmasterOf(found.processId, place.cluster)) await endServer(found.processId)
    await removeSocketFolder(place, found.socketFolder)
  }
  return {
    socketFolder: found.socketFolder,
    user: 'tillgate',
    processId: found.processId,
    adopted: found.adopted,
    stop: () => (stopping ??= stop()),
  }
}

// The first signal ends sessions and writes everything down, the second drops everything and leaves the
// rest to recovery.
async function endServer(processId: number) {
  const mark = startMarkOf(processId)
  if (mark === null) return
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    await sendSignal(processId, signal)
    const giveUpAt = performance.now() + fastStopPatienceMs
    while (performance.now() < giveUpAt) {
      if (startMarkOf(processId) !== mark) return
      await delay(pollMs)
    }
  }
  throw new Error(`PostgreSQL (process ${processId}) did not stop when told to.`)
}

// Only under the start lock, since another process may be starting a server on the same data right now.
async function removeSocketFolder(place: Place, socketFolder: string) {
  if (!existsSync(place.folder)) return
  const lock = await takeStartLock(place, 0)
  if (lock.kind === 'taken') return
  try {
    if (!readPostmasterFile(place.cluster)) removeIfEmpty(socketFolder)
  } finally {
    lock.release()
  }
}

function removeIfEmpty(folder: string) {
  try {
    rmdirSync(folder)
  } catch (error) {
    if (!hasCode(error, 'ENOENT') && !hasCode(error, 'ENOTEMPTY')) throw error
  }
}
