import { readFileSync } from 'node:fs'
import { runTool } from '#platform/postgres/run-as.ts'

// The cores that this process may use, by their numbers. None where the system does not tell.
export function usableCores(): readonly number[] {
  try {
    return coresIn(readFileSync('/proc/self/status', 'utf8'))
  } catch {
    return []
  }
}

export function coresIn(status: string): readonly number[] {
  const list = /^Cpus_allowed_list:\s*(\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*)$/m.exec(status)?.[1]
  return list?.split(',').flatMap(coresOfRange) ?? []
}

function coresOfRange(range: string): readonly number[] {
  const [first = 0, last = first] = range.split('-').map(Number)
  return Array.from({ length: last - first + 1 }, (_, offset) => first + offset)
}

// The main thread alone: what it has other threads for is done wherever there is time. Node.js cannot tell
// the system, so a command of the system does, where it has one.
export function keepOnCore(processId: number, core: number): Promise<{ readonly failure: string | null }> {
  return runTool(['taskset', '-p', (1n << BigInt(core)).toString(16), String(processId)])
}
