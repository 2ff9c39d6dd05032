import type { IncomingHttpHeaders } from 'node:http'

// Whether the headers announce what both faces read: UTF-8 that is not compressed.
export function isPlainUtf8(headers: IncomingHttpHeaders): boolean {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  const coding = headers['content-encoding'] ?? 'identity'
  return /^utf-?8$/i.test(charset) && coding.toLowerCase() === 'identity'
}
