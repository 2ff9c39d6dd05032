import { readFileSync } from 'node:fs'
import { hasCode } from '#platform/error-code.ts'

export function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    // A process that ends while its /proc entry is read answers ESRCH.
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ESRCH')) return null
    throw error
  }
}
