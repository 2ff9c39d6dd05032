import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

import { hasCode } from '#platform/error-code.ts'
import type { Binaries } from '#platform/postgres/embedded-binaries.ts'
import type { Way } from '#platform/postgres/run-as.ts'
import { readIfPresent } from '#platform/read-if-present.ts'
import { runTool } from '#platform/run-tool.ts'

const logBytesMax = 5 * 1024 * 1024
// The system's limit for the whole path of a socket is 107 bytes on Linux and 103 on macOS.
const socketPathBytesMax = 100
const socketName = '.s.PGSQL.5432'

// Where everything of one embedded server lives.
export type Place = {
  readonly folder: string
  readonly cluster: string
  readonly log: string
  readonly clusterName: string
}

export function placeIn(folder: string): Place {
  const hash = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  return {
    folder,
    cluster: join(folder, 'cluster'),
    log: join(folder, 'server.log'),
    clusterName: `tillgate-${hash}`,
  }
}

// The cluster gets its name only when it is complete, so a half-made one is never mistaken for data.
export async function makeCluster(place: Place, run: { readonly way: Way; readonly binaries: Binaries }) {
  const unfinished = `${place.cluster}.unfinished-${randomBytes(6).toString('hex')}`
  const { failure } = await runTool([
    ...run.way.prefix,
    run.binaries.initdb,
    `--pgdata=${unfinished}`,
    '--username=tillgate',
    '--no-instructions',
    '--locale-provider=builtin',
    '--locale=C.UTF-8',
    '--encoding=UTF8',
    '--auth-local=trust',
    '--auth-host=reject',
  ])
  if (failure !== null) {
    throw new Error(
      `PostgreSQL could not set up its files in ${place.folder}: ${failure}\n` +
        'If that cannot be helped here, set DATABASE_URL to a PostgreSQL of your own.',
    )
  }
  renameSync(unfinished, place.cluster)
  syncFolder(place.folder)
}

export function removeUnfinishedClusters(place: Place) {
  const prefix = `${basename(place.cluster)}.unfinished-`
  for (const name of readdirSync(place.folder).filter((entry) => entry.startsWith(prefix))) {
    // The initdb of a killed gateway may still be writing for a moment.
    rmSync(join(place.folder, name), { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}

export function checkVersion(place: Place, majorVersion: string) {
  const found = readIfPresent(join(place.cluster, 'PG_VERSION'))?.trim()
  if (found === majorVersion) return
  const wayOut =
    'Move the folder away to begin with an empty database, or set DATABASE_URL to a PostgreSQL of your own.'
  throw new Error(
    found === undefined
      ? `${place.cluster} holds no PostgreSQL files. ${wayOut}`
      : `The files in ${place.cluster} were written by PostgreSQL ${found}, and this Tillgate brings ` +
          `PostgreSQL ${majorVersion}, which cannot read them. ${wayOut}`,
  )
}

// Root may find files of an earlier run that was made another way. A change of owner that was killed leaves
// the marker, and is done again.
export function giveFilesTo(place: Place, owner: number) {
  if (process.platform === 'win32') return
  const marker = join(place.folder, 'changing-owner')
  const found = statSync(place.cluster).uid
  if (found === owner && !existsSync(marker)) return
  if (process.geteuid?.() !== 0) {
    throw new Error(
      `The database files in ${place.cluster} belong to another user (id ${found}): ` +
        'run Tillgate as that user, or give the files to this one.',
    )
  }
  writeFileSync(marker, '')
  for (const entry of readdirSync(place.cluster, { recursive: true, withFileTypes: true })) {
    lchownSync(join(entry.parentPath, entry.name), owner, owner)
  }
  lchownSync(place.cluster, owner, owner)
  rmSync(marker)
}

export function rotateLog(place: Place) {
  const size = statSync(place.log, { throwIfNoEntry: false })?.size ?? 0
  if (size > logBytesMax) renameSync(place.log, `${place.log}.old`)
}

// The name must be short, and the same at every start with the same data.
export function makeSocketFolder(place: Place): string {
  const preferred = join(tmpdir(), place.clusterName)
  const fits = Buffer.byteLength(join(preferred, socketName)) <= socketPathBytesMax
  const folder = fits ? preferred : join('/tmp', place.clusterName)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
  if (!isPrivate(folder)) {
    throw new Error(
      `${folder}, the folder for the database's socket, belongs to another user or is open to others: ` +
        'remove it, or set TMPDIR to a folder of your own.',
    )
  }
  // Left by a killed server: PostgreSQL would take a stranger with the old process id for the owner.
  rmSync(join(folder, socketName), { force: true })
  rmSync(join(folder, `${socketName}.lock`), { force: true })
  return folder
}

// The temp folder is everybody's: a stranger's folder, or a link of his, would hand him every query.
function isPrivate(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (!found?.isDirectory()) return false
  return process.platform === 'win32' || (found.uid === process.geteuid?.() && (found.mode & 0o077) === 0)
}

export function hasSocket(socketFolder: string): boolean {
  return isPrivate(socketFolder) && existsSync(join(socketFolder, socketName))
}

function syncFolder(folder: string) {
  if (process.platform === 'win32') return
  for (const path of [folder, dirname(folder)]) {
    const file = openSync(path, 'r')
    try {
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  }
}
