import { readIfPresent } from '#platform/read-if-present.ts'

// How many files and sockets this process may have open at once; null where the system does not say.
// Node.js raises its limit at its start as far as it may.
export function openFilesMax(): number | null {
  const limits = process.platform === 'linux' ? readIfPresent('/proc/self/limits') : null
  const [, most] = /^Max open files\s+(\d+)/m.exec(limits ?? '') ?? []
  return most === undefined ? null : Number(most)
}

// What a gateway has open besides its callers and its pool: code that is being read, the log, and the
// connections of tasks and of the bank.
const filesBesideCallsAndPool = 128

export function openFilesNeeded(settings: {
  readonly callsInFlight: number
  readonly poolSize: number
}): number {
  return settings.callsInFlight + settings.poolSize + filesBesideCallsAndPool
}
