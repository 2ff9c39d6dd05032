import { readFileSync } from 'node:fs'
import { hasCode } from '#platform/error-code.ts'

export function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    // A process that ends while its /proc entry is read answers ESRCH, a folder that is a file ENOTDIR.
    if (['ENOENT', 'ESRCH', 'ENOTDIR'].some((code) => hasCode(error, code))) return null
    throw error
  }
}
