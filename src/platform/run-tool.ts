import { execFile } from 'node:child_process'

// Only what the tools need: the gateway's environment holds secrets, and PG* variables change the server.
export function toolEnvironment(): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C', TZ: 'UTC' }
}

export async function runTool(command: readonly string[]): Promise<{ readonly failure: string | null }> {
  const [file = '', ...args] = command
  return new Promise((resolve) => {
    execFile(file, args, { env: toolEnvironment(), timeout: 60_000 }, (error, stdout, stderr) => {
      if (!error) return resolve({ failure: null })
      const said = lastLines(stderr.trim() === '' ? stdout : stderr, 6)
      resolve({ failure: said === '' ? `${file} failed (${error.code ?? error.signal ?? 'no code'})` : said })
    })
  })
}

export function lastLines(text: string, count: number): string {
  return text.trim().split('\n').slice(-count).join('\n')
}
