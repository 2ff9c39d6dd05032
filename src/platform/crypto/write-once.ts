import { randomBytes } from 'node:crypto'
import { link, open, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { KeyRingRefused } from '#platform/crypto/key-file.ts'
import { hasCode } from '#platform/error-code.ts'
import { makeFolder } from '#platform/make-folder.ts'

// Makes a file that is never changed afterwards, for its owner only. It appears whole or not at all, and
// is on disk when this ends. Answers false, and leaves the file alone, when another process was first.
export async function writeOnce(path: string, text: string): Promise<boolean> {
  const folder = dirname(path)
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  makeOrRefuse(folder)
  await writeFile(draft, text, { mode: 0o600, flush: true })
  try {
    await link(draft, path)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
  await flushFolder(folder)
  return true
}

function makeOrRefuse(folder: string): void {
  try {
    makeFolder(folder)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    const problem = `${folder} cannot be made (${code}). Set KEYS_DIR to another folder.`
    throw new KeyRingRefused(problem, { cause: error })
  }
}

// The name of a new file is part of its folder, which Windows does not let anybody flush.
async function flushFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
