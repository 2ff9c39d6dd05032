import { readFileSync } from 'node:fs'
import { runTool, type ToolRun } from '#platform/run-tool.ts'

// The cores that this process may use, by their numbers. None where the system does not tell. A process may
// also be allowed cores that the machine could have and has not.
export function usableCores(): readonly number[] {
  const present = new Set(coresIn(readIfTold('/sys/devices/system/cpu/online')))
  return allowedCores(readIfTold('/proc/self/status')).filter((core) => present.has(core))
}

// Whatever keeps it from being read: a gateway starts without knowing its cores.
function readIfTold(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

// As the status of a process or thread tells them.
export function allowedCores(status: string): readonly number[] {
  return coresIn(/^Cpus_allowed_list:(.*)$/m.exec(status)?.[1] ?? '')
}

const listOfRanges = /^\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*$/

// A list as Linux writes it: 0-3,8.
export function coresIn(list: string): readonly number[] {
  const text = list.trim()
  return listOfRanges.test(text) ? text.split(',').flatMap(coresOfRange) : []
}

function coresOfRange(range: string): readonly number[] {
  const [first = 0, last = first] = range.split('-').map(Number)
  return Array.from({ length: last - first + 1 }, (_, offset) => first + offset)
}

// The main thread alone: what it has other threads for is done wherever there is time. Node.js cannot tell
// the system, so a command of the system does, where it has one.
export function keepOnCore(processId: number, core: number): Promise<ToolRun> {
  return runTool(['taskset', '-p', `0x${(1n << BigInt(core)).toString(16)}`, String(processId)])
}
