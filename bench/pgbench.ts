import { execFile } from 'node:child_process'
import { accessSync, constants, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'

// pgbench comes with the server packages of PostgreSQL and not with the embedded one, so it is looked for.

export type Pgbench = { readonly program: string }

export type ScriptRun = {
  readonly script: string
  readonly clients: number
  readonly seconds: number
  readonly consents: number
}

export type ScriptResult = { readonly transactions: number; readonly perSecond: number }

const usualFolders = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/usr/local/pgsql/bin',
  '/opt/homebrew/opt/postgresql*/bin',
  '/usr/local/opt/postgresql*/bin',
  '/Applications/Postgres.app/Contents/Versions/*/bin',
]

// The newest one in the usual folders before the one on the PATH, which may be a wrapper.
export function findPgbench(): Pgbench | null {
  const onPath = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const installed = globSync(usualFolders).toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  const program = [...installed, ...onPath].map((folder) => join(folder, 'pgbench')).find(isProgram)
  return program === undefined ? null : { program }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

type Place = { readonly host: string; readonly user: string; readonly database: string }

export async function runPgbench({ program }: Pgbench, place: Place, run: ScriptRun): Promise<ScriptResult> {
  const { host, user, database } = place
  const { seconds, clients, consents, script } = run
  const words = `-n -M prepared -j 1 -T ${seconds} -c ${clients} -D consents=${consents} -U ${user}`
  const args = [...words.split(' '), '-h', host, '-f', script, database]
  const said = await execute(program, args)
  const transactions = Number(/transactions actually processed: (\d+)/.exec(said)?.[1])
  const perSecond = Number(/tps = ([\d.]+) \(without/.exec(said)?.[1])
  const failed = Number(/failed transactions: (\d+)/.exec(said)?.[1] ?? 0)
  if (!(transactions > 0) || !(perSecond > 0) || failed > 0)
    throw new Error(`pgbench measured nothing:\n${said}`)
  return { transactions, perSecond }
}

function execute(program: string, args: readonly string[]): Promise<string> {
  const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' }
  return new Promise((resolve, reject) => {
    execFile(program, args, { env }, (error, stdout, stderr) => {
      if (error) reject(new Error(`pgbench failed:\n${stderr}`, { cause: error }))
      else resolve(stdout)
    })
  })
}
