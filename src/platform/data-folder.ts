import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import { hasCode } from '#platform/error-code.ts'
import { makeFolder } from '#platform/make-folder.ts'
import { startMarkOf } from '#platform/process-start.ts'
import { readIfPresent } from '#platform/read-if-present.ts'

// One process at a time owns a data folder. The lock is a file that names its holder by process id and start
// time, so that neither a kill -9 nor a reused process id can hold the folder or lose it.

export type Role = 'gateway' | 'command'
export type DataFolder = { readonly kind: 'opened'; readonly folder: string; release(): void }
export type InUse = { readonly kind: 'in_use'; readonly processId: number; readonly role: Role }

type Holder = {
  readonly processId: number
  readonly role: string
  readonly startMark: string
  // Unlike process id and start time, never the same twice: it names one holding of the lock.
  readonly nonce: string
  // Containers have process ids of their own: what lives in another one cannot be seen from here.
  readonly namespace: string
}

type FileLock = { readonly kind: 'held'; release(): void }
type LockTaken = { readonly kind: 'taken'; readonly processId: number; readonly role: string }

const lockFileName = 'tillgate.pid'
const commandPatienceMs = 30_000
// A holder that was killed a moment ago may still be on its way out.
const leavingPatienceMs = 250
const pollMs = 20
// A holder in another container shows that it lives by touching its lock.
const touchEveryMs = 1_000
const touchedWithinMs = 5_000

export async function openDataFolder(
  folder: string,
  holder: { readonly role: Role },
): Promise<DataFolder | InUse> {
  makeFolder(folder)
  const lock = await takeFileLock(join(folder, lockFileName), {
    role: holder.role,
    patienceMs: (other) =>
      holder.role === 'command' && other === 'command' ? commandPatienceMs : leavingPatienceMs,
  })
  if (lock.kind === 'held') return { kind: 'opened', folder, release: () => lock.release() }
  return { kind: 'in_use', processId: lock.processId, role: lock.role === 'gateway' ? 'gateway' : 'command' }
}

// Whether a living process has it. Looks, and makes nothing.
export function isDataFolderHeld(folder: string): boolean {
  const file = join(folder, lockFileName)
  const holder = readHolder(file)
  return holder !== null && isAlive(holder, file)
}

export async function takeFileLock(
  file: string,
  wish: { readonly role: string; readonly patienceMs: (otherRole: string) => number },
): Promise<FileLock | LockTaken> {
  const mine: Holder = {
    processId: process.pid,
    role: wish.role,
    startMark: startMarkOf(process.pid) ?? 'unknown',
    nonce: randomBytes(12).toString('hex'),
    namespace: ownNamespace(),
  }
  const draft = `${file}.${mine.nonce}.draft`
  writeDurably(
    draft,
    `${mine.processId}\n${mine.role}\n${mine.startMark}\n${mine.nonce}\n${mine.namespace}\n`,
  )
  try {
    const startedAt = performance.now()
    for (;;) {
      const other = claim(file, { lock: file, draft })
      if (!other) {
        removeLitter(file)
        const touching = setInterval(() => touch(file), touchEveryMs).unref()
        const release = () => {
          clearInterval(touching)
          releaseLock(file, mine)
        }
        return { kind: 'held', release }
      }
      const isElsewhere = other.namespace !== mine.namespace
      const patienceMs = isElsewhere ? touchedWithinMs + touchEveryMs : wish.patienceMs(other.role)
      if (performance.now() - startedAt >= patienceMs) {
        return { kind: 'taken', processId: other.processId, role: other.role }
      }
      await delay(pollMs)
    }
  } finally {
    rmSync(draft, { force: true })
  }
}

// Answers null when the file is ours now, else the living process that has it. A dead holder's file may only
// be replaced by whoever holds the claim named after that holding: the claim is a lock of the same kind, so a
// claimant that dies is succeeded in the same way. The second look under the claim is what makes it safe:
// a holding that is gone never comes back, so nobody can replace a file that has changed hands meanwhile.
function claim(path: string, by: { readonly lock: string; readonly draft: string }): Holder | null {
  for (;;) {
    if (linkIfAbsent(by.draft, path)) return null
    const present = readHolder(path)
    if (!present) continue
    if (isAlive(present, path)) return present
    const succession = `${by.lock}.${present.nonce}`
    const rival = claim(succession, by)
    if (rival) return rival
    if (readHolder(path)?.nonce === present.nonce && renameIfPresent(succession, path)) return null
    rmSync(succession, { force: true })
  }
}

function releaseLock(file: string, mine: Holder) {
  if (readHolder(file)?.nonce === mine.nonce) rmSync(file, { force: true })
}

// Drafts and claims of processes that were killed while they took the lock. Only the lock's holder may do
// this: a claim on a holding that can still be succeeded must not vanish under its claimant.
function removeLitter(file: string) {
  const prefix = `${basename(file)}.`
  for (const name of readdirSync(dirname(file)).filter((entry) => entry.startsWith(prefix))) {
    const path = join(dirname(file), name)
    const writer = readHolder(path)
    // An unreadable one may be a draft that its living writer has not finished.
    if (writer && writer.processId > 0 && !isAlive(writer, path)) rmSync(path, { force: true })
  }
}

function isAlive(holder: Holder, path: string): boolean {
  if (holder.namespace === ownNamespace()) return startMarkOf(holder.processId) === holder.startMark
  const touched = statIfPresent(path)
  return touched !== null && systemClock.now().epochMilliseconds - touched < touchedWithinMs
}

function ownNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return hostname()
  }
}

function touch(file: string) {
  const seconds = systemClock.now().epochMilliseconds / 1_000
  try {
    utimesSync(file, seconds, seconds)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
  }
}

function statIfPresent(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null
}

const unreadable = { processId: 0, role: 'unreadable', startMark: 'unreadable', nonce: 'unreadable' }

function readHolder(path: string): Holder | null {
  const text = readIfPresent(path)
  if (text === null) return null
  const [processId = '', role = '', startMark = '', nonce = '', namespace = ''] = text.split('\n')
  // Only a power failure or a person's editor can leave such a file, and neither is running.
  if (!/^[1-9]\d*$/.test(processId) || !/^[0-9a-f]{24}$/.test(nonce)) {
    return { ...unreadable, namespace: ownNamespace() }
  }
  return { processId: Number(processId), role, startMark, nonce, namespace: namespace || ownNamespace() }
}

function linkIfAbsent(from: string, to: string): boolean {
  try {
    linkSync(from, to)
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}

function renameIfPresent(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}

function writeDurably(path: string, text: string) {
  const file = openSync(path, 'wx', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
