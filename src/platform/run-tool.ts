import { execFile } from 'node:child_process'

// Only what the tools need: the gateway's environment holds secrets, and PG* variables change the server.
export function toolEnvironment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' }
}

export type ToolRun = { readonly failure: string | null }

export async function runTool(command: readonly string[]): Promise<ToolRun> {
  const [file = '', ...args] = command
  const run = new Promise<ToolRun>((resolve) => {
    execFile(file, args, { env: toolEnvironment(), timeout: 60_000 }, (error, stdout, stderr) => {
      if (!error) return resolve({ failure: null })
      const said = lastLines(stderr.trim() === '' ? stdout : stderr, 6)
      resolve({ failure: said === '' ? `${file} failed (${error.code ?? error.signal ?? 'no code'})` : said })
    })
  })
  // It is not even begun where the system has no room for another process.
  return run.catch((error: unknown) => ({ failure: `${file} failed (${String(error)})` }))
}

export function lastLines(text: string, count: number): string {
  return text.trim().split('\n').slice(-count).join('\n')
}
