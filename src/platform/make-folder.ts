import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { hasCode } from '#platform/error-code.ts'

// Makes a folder for its owner only, and those above it. One after the other, because where none can be, as
// in /proc, Node.js tries for ever to make them all at once.
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return
  const above = dirname(folder)
  if (!existsSync(above)) makeFolder(above)
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    const wasOtherFirst = hasCode(error, 'EEXIST') && isFolder(folder)
    if (!wasOtherFirst) throw error
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
