import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'

import { readIfPresent } from '#platform/read-if-present.ts'
import { toolEnvironment } from '#platform/run-tool.ts'

// What postmaster.pid and the list of processes say about the server of one cluster.

const separator = process.platform === 'linux' ? '\0' : ' '

type PostmasterFile = {
  readonly processId: number
  readonly socketFolder: string
  readonly status: string
}

export function readPostmasterFile(cluster: string): PostmasterFile | null {
  const lines = readIfPresent(join(cluster, 'postmaster.pid'))?.split('\n')
  if (!lines) return null
  // Lines 1, 5 and 8; the later ones appear one by one while the server starts.
  const processId = Number(lines[0])
  return { processId, socketFolder: lines[4] ?? '', status: (lines[7] ?? '').trim() }
}

// The command line is readable even where the server runs under another user id, and a stranger who got the
// server's old process id has another one.
export function isPostmasterOf(processId: number, cluster: string): boolean {
  const command = commandOf(processId)
  const program = command.slice(0, Math.max(0, command.indexOf(['', '-D', cluster, ''].join(separator))))
  return basename(program) === 'postgres' && !program.includes('\0')
}

// What a server was started with; null when nobody said.
export function settingOf(processId: number, name: string): string | null {
  const said = commandOf(processId)
    .split(separator)
    .findLast((word) => word.startsWith(`${name}=`))
  return said?.slice(name.length + 1) ?? null
}

// A killed server's sessions may outlive it while they are busy. Their titles carry the cluster's name.
export function findOrphans(clusterName: string): readonly number[] {
  const title = `postgres: ${clusterName}: `
  return listProcessIds().filter((processId) => commandOf(processId).startsWith(title))
}

function commandOf(processId: number): string {
  if (processId <= 0) return ''
  if (process.platform === 'linux') return readIfPresent(`/proc/${processId}/cmdline`) ?? ''
  return ps(['-ww', '-o', 'command=', '-p', String(processId)])
}

function listProcessIds(): readonly number[] {
  const names = process.platform === 'linux' ? readdirSync('/proc') : ps(['-ax', '-o', 'pid=']).split('\n')
  return names.map((name) => Number(name)).filter((id) => Number.isInteger(id) && id > 0)
}

function ps(args: readonly string[]): string {
  return spawnSync('ps', args, { env: toolEnvironment(), encoding: 'utf8' }).stdout ?? ''
}
