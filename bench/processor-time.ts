import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { readIfPresent } from '#platform/read-if-present.ts'

// Processor time from /proc, in clock ticks. Elsewhere than on Linux there is none, and the figures say so.

export const hasProcessorTime = process.platform === 'linux'

// The kernel reports ticks of 1/100 s to programs, whatever its own clock does.
const msPerTick = 10

export type MachineTime = {
  readonly busyMs: number
  // In which this machine would have worked, had its host not worked for others.
  readonly stolenMs: number
  readonly at: number
}

// Shares of the whole machine between two moments: busy with anything but our own processes, and stolen.
export type Noise = { readonly foreign: number; readonly stolen: number }

// What a process has used, without its children.
export function processMs(processId: number): number {
  const fields = statFields(processId)
  return fields ? (field(fields, 'utime') + field(fields, 'stime')) * msPerTick : 0
}

// What the ended children of a process had used.
export function buriedMs(processId: number): number {
  const fields = statFields(processId)
  return fields ? (field(fields, 'cutime') + field(fields, 'cstime')) * msPerTick : 0
}

// What a process and its children have used, those that have ended included: a PostgreSQL server, or a
// gateway with its workers.
export function familyMs(processId: number): number {
  // Begun anew when a child ends meanwhile, which would count among the living and among the buried.
  for (;;) {
    const buried = buriedMs(processId)
    const living = childrenOf(processId).reduce((sum, child) => sum + processMs(child), 0)
    if (buriedMs(processId) === buried) return processMs(processId) + buried + living
  }
}

// Memory that a process and its children hold, in bytes.
export function familyResidentBytes(processId: number): number {
  return [processId, ...childrenOf(processId)].reduce((sum, one) => sum + residentBytes(one), 0)
}

function residentBytes(processId: number): number {
  const status = hasProcessorTime ? (readIfPresent(`/proc/${processId}/status`) ?? '') : ''
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1_024
}

export function machineTime(): MachineTime {
  const at = performance.now()
  if (!hasProcessorTime) return { busyMs: 0, stolenMs: 0, at }
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number)
  const busy = user + nice + system + irq + softirq
  return { busyMs: busy * msPerTick, stolenMs: steal * msPerTick, at }
}

export function noiseBetween(before: MachineTime, after: MachineTime, ownMs: number): Noise {
  const capacityMs = (after.at - before.at) * availableParallelism()
  return {
    foreign: Math.max(0, after.busyMs - before.busyMs - ownMs) / capacityMs,
    stolen: Math.max(0, after.stolenMs - before.stolenMs) / capacityMs,
  }
}

function childrenOf(processId: number): readonly number[] {
  if (!hasProcessorTime) return []
  const all = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return all.filter((one) => {
    const fields = statFields(one)
    return fields !== null && field(fields, 'ppid') === processId
  })
}

// Positions after the name, which stands in brackets and may itself hold brackets and spaces.
const positions = { ppid: 1, utime: 11, stime: 12, cutime: 13, cstime: 14 } as const

function statFields(processId: number): readonly string[] | null {
  const stat = hasProcessorTime ? readIfPresent(`/proc/${processId}/stat`) : null
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function field(fields: readonly string[], name: keyof typeof positions): number {
  return Number(fields[positions[name]])
}
