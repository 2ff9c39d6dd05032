import type { AccountId } from '#kernel/ids.ts'
import { type Log, scrub } from '#platform/log.ts'

const pathsMax = 20
const pathLengthMax = 64
const linesADay = 100
const pathsRemembered = 10_000
const dayMs = 86_400_000

// For a header and a log line: names are the caller's, and could be anything.
export function printablePaths(paths: readonly string[]): readonly string[] {
  return paths.slice(0, pathsMax).map((path) => printable(path.slice(0, 4 * pathLengthMax)))
}

function printable(path: string): string {
  return scrub(path)
    .replace(/[^A-Za-z0-9_.]/g, '_')
    .slice(0, pathLengthMax)
}

export function ignoredNote(paths: readonly string[]): Readonly<Record<string, string>> {
  return paths.length === 0 ? {} : { 'Ignored-Members': paths.join(', ') }
}

type Ignoring = {
  readonly account: AccountId
  readonly operation: string
  readonly requestId: string
  readonly paths: readonly string[]
}
type Remembered = { day: number; lines: number; readonly paths: Set<string> }

// Logs the members of calls that are ignored, each once for an account, and no account fills the log.
export function ignoredMembersLog(log: Log, nowMs: () => number): (ignoring: Ignoring) => void {
  const accounts = new Map<AccountId, Remembered>()
  return ({ account, operation, requestId, paths }) => {
    const day = Math.floor(nowMs() / dayMs)
    const known = accounts.getOrInsertComputed(account, () => ({ day, lines: 0, paths: new Set() }))
    if (known.day !== day) Object.assign(known, { day, lines: 0 })
    for (const path of paths) {
      const key = `${operation} ${path}`
      if (known.lines >= linesADay || known.paths.has(key)) continue
      if (known.paths.size >= pathsRemembered) known.paths.clear()
      known.paths.add(key)
      known.lines += 1
      log.info({ requestId, account: account.toString(), operation, member: path }, 'A member is ignored')
    }
  }
}
