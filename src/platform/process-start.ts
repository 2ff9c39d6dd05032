import { spawnSync } from 'node:child_process'
import { readIfPresent } from '#platform/read-if-present.ts'
import { toolEnvironment } from '#platform/run-tool.ts'

// When a process started, in a form that no later process with the same id can share; null when it is dead.
// A zombie is dead: an init that does not reap may keep it for ever.
export function startMarkOf(processId: number): string | null {
  if (processId <= 0) return null
  return process.platform === 'linux' ? startMarkFromProc(processId) : startMarkFromPs(processId)
}

function startMarkFromProc(processId: number): string | null {
  const stat = readIfPresent(`/proc/${processId}/stat`)
  if (stat === null) return null
  // The second field is the program's name in brackets and may itself hold brackets and spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state = ''] = fields
  if (state === 'Z' || state === 'X') return null
  // Clock ticks count from the boot, hence the boot's id.
  const boot = readIfPresent('/proc/sys/kernel/random/boot_id')?.trim() ?? ''
  return `${boot}:${fields[19] ?? ''}`
}

function startMarkFromPs(processId: number): string | null {
  const ps = spawnSync('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(processId)], {
    env: toolEnvironment(),
    encoding: 'utf8',
  })
  const [state = '', ...started] = (ps.stdout ?? '').trim().split(/\s+/)
  return state === '' || state.startsWith('Z') ? null : started.join(' ')
}
